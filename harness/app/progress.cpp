#include "harness/app/progress.h"

#include <cmath>
#include <ostream>

#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

// One line for one measurement: its time, or what became of it.
std::string outcome(const Measurement& measurement) {
  if (measurement.negative_control && measurement.status == Status::incorrect) {
    return "incorrect, as a negative control must be";
  }
  if (measurement.status != Status::ok) {
    return format("{}: {}", to_string(measurement.status), measurement.reason);
  }
  const auto tpot = measurement.metric("tpot_s");
  if (tpot) return format_seconds(Seconds(*tpot));
  return measurement.reason.empty() ? "ok" : format("ok: {}", measurement.reason);
}

std::string minutes(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 60) return format("{} s", whole);
  return format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace

std::string describe(const std::string& workload, const std::string& point,
                     const std::string& variant) {
  return format("{}{}{}: {}", workload, point.empty() ? "" : ", ", point, variant);
}

Progress::Progress(std::ostream& out, bool terminal) : out_(out), terminal_(terminal) {}

Progress::~Progress() { clear_live(); }

void Progress::expect(std::int64_t total) {
  total_ = total;
  done_ = 0;
  start_ = Clock::now();
}

void Progress::phase(const std::string& what) {
  if (terminal_) {
    draw_live(what);
  } else {
    out_ << what << std::endl;
  }
}

void Progress::begin(const std::string& what) {
  constexpr std::chrono::milliseconds kRedraw{200};
  if (!terminal_ || Clock::now() - drawn_ < kRedraw) return;
  draw_live(format("[{}/{}] {}{}", done_ + 1, total_, what, time_left()));
}

void Progress::finish(const std::string& what, const Measurement& measurement) {
  ++done_;
  clear_live();
  out_ << format("[{}/{}] {}, replicate {}: {}\n", done_, total_, what, measurement.replicate + 1,
                 outcome(measurement))
       << std::flush;
}

std::string Progress::time_left() const {
  if (done_ == 0) return "";
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  return format(", {} left",
                minutes(spent / static_cast<double>(done_) * static_cast<double>(total_ - done_)));
}

void Progress::clear_live() {
  if (live_) out_ << "\r\x1b[K" << std::flush;
  live_ = false;
}

void Progress::draw_live(const std::string& what) {
  clear_live();
  out_ << what << std::flush;
  live_ = true;
  drawn_ = Clock::now();
}

}  // namespace bench
