#pragma once

#include <cstdint>
#include <vector>

#include "workloads/workload.h"

namespace bench {

// What one worker process measures: cases of one workload, one replicate. Cases of a group differ
// in the variant only and are interleaved.
struct Job {
  Workload workload;  // its settings; `points` is not used
  std::vector<std::vector<Case>> groups;
  std::int64_t replicate = 0;
  std::uint64_t seed = 0;
};

}  // namespace bench
