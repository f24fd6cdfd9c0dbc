#pragma once

#include <cstdint>

#include "harness/units.h"
#include "results/store.h"

namespace bench {

// `keep:` of a configuration, or the flags of `bench prune`.
struct PruneRule {
  Seconds older_than{0};          // runs that began longer ago than this
  std::int64_t keep_samples = 0;  // of each measurement, evenly spaced in the order taken; 0: none
};

struct PruneResult {
  std::int64_t measurements = 0;  // whose samples were thinned
  std::int64_t bytes = 0;         // that the file became smaller
};

// Thins raw samples, removes the records of single requests, and gives the space back to the file
// system. Metrics, stages and all else stay for ever, and so do the samples of pinned baselines.
// `now_unix_s` is for tests.
PruneResult prune(Store& store, const PruneRule& rule, double now_unix_s = unix_now());

}  // namespace bench
