#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/run.h"
#include "results/verdict.h"

namespace bench {

// One case of one workload in one run: a side of a comparison. Refers into the run.
struct Side {
  const PlannedCase* planned = nullptr;          // nullptr: the run did not plan it
  std::vector<const Measurement*> measurements;  // in the order of replicates
};

using CaseKey = std::pair<std::string, std::string>;  // workload, case_id

// The cases of a run that it meant to measure. Those left out by the configuration on purpose, and
// negative controls that ended `incorrect` as they must, are not among them.
struct Sides {
  std::vector<CaseKey> order;  // of the plan
  std::map<CaseKey, Side> of;

  [[nodiscard]] const Side* find(const CaseKey& key) const;  // nullptr: none
};
Sides sides_of(const RunRecord& run);

// Nothing was measured because it cannot be measured there.
bool unsupported(const Side& side);

// A metric of a side, replicate by replicate.
struct Reading {
  std::vector<std::int64_t> replicates;
  std::vector<double> values;  // one a replicate
  int version = 0;             // of the metric's definition
  // Why the values may not be judged, as the word they get instead, without naming the side.
  std::optional<Word> fault{};
  std::string reason{};
};

// A baseline may lack failed replicates; of a candidate each one must be there and have ended well.
enum class Role { baseline, candidate };
Reading read(const Side& side, std::string_view metric, Role role);

// Cycles of the SM clock that a step took: the metric, else its time x the clock; and that clock:
// the median over the samples, else what telemetry says, else cycles / time.
std::optional<double> cycles_of(const Measurement& measurement);
std::optional<double> clock_of(const Measurement& measurement);

}  // namespace bench
