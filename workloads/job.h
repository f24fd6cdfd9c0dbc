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
  // The process among those of the run, and among those on its machine (harness/hosts.h).
  struct Place {
    int index = 0;
    int count = 1;
    int local_index = 0;
    int local_count = 1;
  } place = {};
};

}  // namespace bench
