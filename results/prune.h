#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/units.h"
#include "results/store.h"

namespace bench {

// `keep:` of a configuration, or the flags of `bench prune`.
struct PruneRule {
  Seconds older_than{0};                  // raw samples of runs that began longer ago than this
  std::int64_t keep_samples = 0;          // of each measurement, evenly spaced; 0: none
  std::optional<Seconds> forget_after{};  // whole runs that are older; none: never
  std::string configuration{};            // of these runs only; empty: all
};

// What goes, or would go, of one run.
struct PrunedRun {
  std::int64_t run = 0;
  std::string name;
  double started_unix_s = 0;
  std::int64_t measurements = 0;  // whose samples are thinned
  double bytes = 0;               // of samples and requests
  bool forgotten = false;         // all of it goes
};

struct PruneResult {
  std::vector<PrunedRun> runs;    // oldest first
  std::int64_t measurements = 0;  // whose samples were thinned
  std::int64_t bytes = 0;         // that the file became smaller
  std::int64_t spared = 0;        // old runs that stay whole
};

// What prune() would do, and the bytes that it would free; changes nothing.
PruneResult plan_prune(Store& store, const PruneRule& rule, double now_unix_s = unix_now());

// Thins raw samples, removes the records of single requests, and gives the space back to the file
// system once it is a twentieth of the file. Metrics, stages and all else stay, but for runs to be
// forgotten. Whole stay every run that was ever a baseline, and the neighbours of a change: the
// runs before and after each change point of a case of the newest run, and those of nightly
// incidents. Each step is one transaction: a full disk costs the freed space, never a result.
// `now_unix_s` is for tests.
PruneResult prune(Store& store, const PruneRule& rule, double now_unix_s = unix_now());

}  // namespace bench
