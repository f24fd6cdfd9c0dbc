#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/sampling.h"
#include "runners/kernel_point.h"
#include "runners/runner.h"

namespace bench {

// What is known of the ranks that measured a point.
struct RankFacts {
  int count = 1;
  Seconds set_up{0};                         // devices opened, pools filled, every variant checked
  double message_bytes = 0;                  // of one all-reduce; 0: the step has none
  double link_bytes_per_s = 0;               // a device's peak in one direction; 0: unknown
  std::optional<double> others_cpu_share{};  // while it was measured on this CPU; none: unknown
};

// The result of a variant that was timed: samples, stages and metrics (results/metrics.cpp).
Measurement finished(const Contender& contender, const Samples& samples, const StepShape& shape,
                     const RankFacts& ranks);

// Of a check that passed, for the reason.
std::string accuracy(const CheckResult& checked);

// The environment's facts of each device; the first has those of all together: `links`, of ranks
// that are several.
std::vector<DeviceFacts> device_facts(std::span<const DeviceInfo> infos,
                                      std::span<const double> copy_bytes_per_s,
                                      const std::vector<LinkFact>& links);

}  // namespace bench
