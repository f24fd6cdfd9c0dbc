#include "dashboards/case_details.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "dashboards/numbers.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

// Stretches of a spark line, each kept by its extremes: fewer where a page has many cases.
constexpr std::size_t kMostBuckets = 60, kFewestBuckets = 24, kBucketsOfPage = 12000;
constexpr double kSparkHeight = 32;

void draw_stages(const CaseSummary& c, Html& page) {
  if (c.stages.empty()) return;
  page.open("table", {{"class", "stages"}}).open("tr");
  for (const char* title : {"stage", "ms", "moved", "of ceiling"})
    page.element("th", title, {{"scope", "col"}});
  page.close();
  for (const StageSummary& s : c.stages) {
    page.open("tr")
        .element("td", s.stage)
        .element("td", milliseconds(s.seconds))
        .element("td", format_bytes(s.bytes));
    page.element("td", s.of_ceiling ? percent_of(*s.of_ceiling) : "").close();
  }
  if (c.unattributed_s)
    page.open("tr")
        .element("td", "unattributed")
        .element("td", milliseconds(*c.unattributed_s))
        .close();
  page.open("tr", {{"class", "sum"}})
      .element("td", "TPOT")
      .element("td", milliseconds(*c.tpot_s))
      .element("td", format_bytes(c.bytes))
      .close();
  page.close();
}

struct Extremes {
  double low, high;
};

// At most `buckets` pairs that hold the smallest and largest sample of each stretch, in order.
std::vector<Extremes> envelope(const std::vector<double>& samples, std::size_t buckets) {
  std::vector<Extremes> out;
  const std::size_t count = std::min(buckets, samples.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = samples.begin() + static_cast<std::ptrdiff_t>(i * samples.size() / count);
    const auto last =
        samples.begin() + static_cast<std::ptrdiff_t>((i + 1) * samples.size() / count);
    const auto [low, high] = std::minmax_element(first, last);
    out.push_back({*low, *high});
  }
  return out;
}

std::string spark_path(const std::vector<Extremes>& stretches, double low, double high) {
  const double scale = high > low ? (kSparkHeight - 2) / (high - low) : 0;
  std::string path;
  int at = 0;  // the pen's height; relative moves are shorter
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const int bottom = 1 + static_cast<int>((high - stretches[i].low) * scale);
    const int top = static_cast<int>((high - stretches[i].high) * scale);
    path += i == 0 ? format("M0 {}v{}", bottom, top - bottom)
                   : format("m1 {}v{}", bottom - at, top - bottom);
    at = top;
  }
  return path;
}

void draw_samples(const CaseSummary& c, std::size_t cases, Html& page) {
  std::vector<double> samples;
  for (const Measurement* m : c.measurements) {
    if (m->status == Status::ok)
      samples.insert(samples.end(), m->samples_s.begin(), m->samples_s.end());
  }
  if (samples.size() < 2) return;
  const auto [low, high] = std::ranges::minmax(samples);
  const std::size_t buckets =
      std::clamp(kBucketsOfPage / std::max<std::size_t>(cases, 1), kFewestBuckets, kMostBuckets);
  const std::vector<Extremes> stretches = envelope(samples, buckets);
  page.open("p").text(format("{} samples, {} to {} ms, in order: ", samples.size(),
                             milliseconds(low), milliseconds(high)));
  page.open("svg", {{"class", "spark"},
                    {"viewBox", format("-1 0 {} {}", stretches.size() + 1, kSparkHeight)},
                    {"preserveAspectRatio", "none"},
                    {"aria-hidden", "true"}});
  page.empty("path", {{"d", spark_path(stretches, low, high)}}).close().close();
}

void draw_device_state(const CaseSummary& c, Html& page) {
  std::vector<std::string> parts;
  std::set<std::string> throttle;
  std::set<std::string> others;
  for (const Measurement* m : c.measurements) {
    const Telemetry& t = m->telemetry;
    std::vector<std::string> facts;
    if (t.temperature_c) facts.push_back(format("{:.0f} \u00b0C", *t.temperature_c));
    if (t.power_w) facts.push_back(format("{:.0f} W", *t.power_w));
    if (t.energy_j) facts.push_back(format("{:.1f} J", *t.energy_j));
    if (t.sm_clock_hz) facts.push_back(format("{:.0f} MHz", *t.sm_clock_hz / 1e6));
    if (!t.throttle_reasons.empty()) facts.push_back("throttled: " + t.throttle_reasons);
    if (!t.other_processes.empty()) facts.push_back("other processes: " + t.other_processes);
    if (!facts.empty())
      parts.push_back(format("replicate {}: {}", m->replicate, join(facts, ", ")));
  }
  if (!parts.empty()) page.element("p", format("Device. {}", join(parts, "; ")));
}

std::string saving_text(const Saving& saving) {
  std::string text = "Saved " + milliseconds(saving.achieved_s) + " ms a token.";
  if (!saving.predicted_s) return text;
  const double rest = (shown_ms(saving.achieved_s) - shown_ms(*saving.predicted_s)) / 1e3;
  return text + format(" Bytes predict {} ms; {} ms beyond that.",
                       milliseconds(*saving.predicted_s), milliseconds(rest));
}

}  // namespace

void draw_case_details(const CaseSummary& c, const std::string& command, std::size_t cases,
                       Html& page) {
  if (!c.reason.empty()) page.element("p", c.reason);
  draw_stages(c, page);
  if (c.saving) page.element("p", saving_text(*c.saving));
  if (c.projected_tpot_s) {
    page.element("p", format("Projected TPOT {} ms, with {} ms for the rest of the step.",
                             milliseconds(*c.projected_tpot_s),
                             milliseconds(c.what.parameters.rest_of_step_s)));
  }
  if (c.memory_bytes)
    page.element("p", format("Memory on each device: {}.", format_bytes(*c.memory_bytes)));
  std::vector<std::string> times;
  for (const ReplicateTime& r : c.replicates) times.push_back(milliseconds(r.tpot_s));
  if (!times.empty())
    page.element("p", format("TPOT of {} of {} replicates: {} ms.", times.size(), c.planned,
                             join(times, ", ")));
  draw_samples(c, cases, page);
  draw_device_state(c, page);
  if (!command.empty()) page.open("p").text("Measure it again: ").element("code", command).close();
}

}  // namespace bench
