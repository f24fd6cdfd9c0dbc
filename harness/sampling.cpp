#include "harness/sampling.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>

#include "harness/statistics.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// Steady: the medians of the two halves of the last `kWindow` steps agree within 2 %.
constexpr std::size_t kWindow = 8;
constexpr double kSteady = 0.02;

bool is_steady(const std::vector<double>& seconds) {
  if (seconds.size() < kWindow) return false;
  const std::span<const double> window = std::span(seconds).last(kWindow);
  const double early = median(window.first(kWindow / 2));
  const double late = median(window.last(kWindow / 2));
  return std::abs(late - early) <= kSteady * early;
}

// A step that takes a good part of the allowance cannot be run eight times: two runs are its
// warm-up then (the first pays page faults and caches, the second shows it is over).
void warm_up(const Sampling& rule, const TimedStep& step, Samples& samples) {
  constexpr std::size_t kFewest = 2;
  const Clock::time_point start = Clock::now();
  std::vector<double> seconds;
  while (!is_steady(seconds)) {
    if (seconds.size() >= kFewest && Clock::now() - start >= rule.max_warm_up) break;
    seconds.push_back(step().count());
  }
  samples.warm_up_count = static_cast<std::int64_t>(seconds.size());
  samples.warm_up = Clock::now() - start;
}

// Why this step needs no further sample; empty: it does. The sort in relative_error() costs more
// than a short step, so it is asked only when a tenth more samples have come.
class StopRule {
 public:
  explicit StopRule(const Sampling& rule) : rule_(rule), next_look_(rule.min_samples) {}

  std::string reached(const std::vector<double>& seconds, Seconds spent) {
    const auto count = static_cast<std::int64_t>(seconds.size());
    if (count < rule_.min_samples) return "";
    if (count >= rule_.max_samples) return "max_samples";
    if (spent >= rule_.max_time) return "max_time";
    if (count < next_look_) return "";
    next_look_ = count + std::max<std::int64_t>(1, count / 10);
    return relative_error(seconds) <= rule_.relative_error ? "relative_error" : "";
  }

 private:
  Sampling rule_;
  std::int64_t next_look_;
};

// One step's part of the interleaved sampling.
struct Arm {
  const TimedStep* step;
  Samples* samples;
  StopRule rule;
  Seconds spent{0};  // wall time of its visits
};

// Samples one step until it has filled its turn: short steps take several samples a turn, so that
// the change of step does not dominate what the caches hold.
void visit(Arm& arm) {
  constexpr Seconds kTurn{0.02};
  const Clock::time_point start = Clock::now();
  Seconds turn{0};
  do {
    arm.samples->seconds.push_back((*arm.step)().count());
    turn = Clock::now() - start;
    arm.samples->stopped_by = arm.rule.reached(arm.samples->seconds, arm.spent + turn);
  } while (turn < kTurn && arm.samples->stopped_by.empty());
  arm.spent += turn;
}

}  // namespace

std::vector<Samples> sample(const Sampling& rule, const std::vector<TimedStep>& steps,
                            std::mt19937_64& random) {
  std::vector<Samples> all(steps.size());
  std::vector<Arm> arms;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    warm_up(rule, steps[i], all[i]);
    arms.push_back({&steps[i], &all[i], StopRule(rule)});
  }
  while (!arms.empty()) {
    std::ranges::shuffle(arms, random);
    for (Arm& arm : arms) visit(arm);
    std::erase_if(arms, [](const Arm& arm) { return !arm.samples->stopped_by.empty(); });
  }
  return all;
}

}  // namespace bench
