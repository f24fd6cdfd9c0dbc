#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "harness/units.h"

namespace bench {

// When to stop. A step is sampled until the median is known to `relative_error` or a limit is
// reached; never before `min_samples`.
struct Sampling {
  double relative_error = 0.005;  // half width of the median's 95 % interval over the median
  std::int64_t min_samples = 10;
  std::int64_t max_samples = 1000;
  Seconds max_time{15};    // of samples, one step
  Seconds max_warm_up{3};  // one step
};

// What one step gave. Every sample is kept, in the order taken.
struct Samples {
  std::vector<double> seconds;
  std::int64_t warm_up_count = 0;  // steps run before the first sample
  Seconds warm_up{0};
  std::string stopped_by;  // "relative_error", "max_samples", "max_time"
};

// Runs the measured thing once and says how long it took on its own clock (device events, or the
// monotonic clock). The sampler never looks at a clock of its own except for its limits.
using TimedStep = std::function<Seconds()>;

// The one measuring loop, blind to what it measures. Warms each step up until it is stable, then
// visits all steps in rounds, in an order shuffled by `random` each round, until each step's stop
// rule holds. Interleaving makes drift of the machine hit all steps alike.
std::vector<Samples> sample(const Sampling& rule, const std::vector<TimedStep>& steps,
                            std::mt19937_64& random);

}  // namespace bench
