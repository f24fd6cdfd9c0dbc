#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dashboards/summary.h"

namespace bench {

// A step on some number of GPUs: medians over the replicates.
struct ScalingRow {
  int ranks;
  double tpot_s;                          // of the slowest rank
  double tokens_per_s;                    // of all requests together
  double efficiency;                      // work per second and GPU, over that of the first row
  std::optional<double> allreduce_share;  // of the step
  std::optional<double> skew;
};

// One variant over the number of GPUs, all else held.
struct ScalingSeries {
  std::string title;  // "native_fp8, concurrency 16"
  std::string variant;
  std::vector<ScalingRow> rows;  // by rising number of GPUs, at least two
};

// Of a workload with `gpus` among its axes; tensor_parallel may vary with it. Work is requests x
// heads computed: so more GPUs at the same tensor_parallel, which compute more of the heads, and
// replicas, which serve more requests, are not taken for slow.
std::vector<ScalingSeries> scaling_of(const WorkloadSummary& workload);

}  // namespace bench
