#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
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

// Of the CPU, taken by others: more, on the average over the replicates, and a step cannot be held
// against one of another run (results/metrics.cpp, others_cpu_share). A quiet machine has 1 to 3 %.
inline constexpr double kMostOthersCpu = 0.1;
// Why what was measured on the CPU is not fit for that; empty: it is.
std::string disturbed(const Side& side);
std::string disturbed(std::span<const double> shares);  // one a replicate that has one
// "other processes used 31 % of the CPU (10 % at most can be judged) in 2 of 4 cases"; empty: fit.
std::string disturbed(const RunRecord& run);

// Cycles of the SM clock that a step took: the metric, else its time x the clock; and that clock:
// the median over the samples, else what telemetry says, else cycles / time.
std::optional<double> cycles_of(const Measurement& measurement);
std::optional<double> clock_of(const Measurement& measurement);

}  // namespace bench
