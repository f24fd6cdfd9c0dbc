#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/rank_shift.h"
#include "harness/statistics.h"

namespace bench {

// What two sets of replicates say of one metric. All inference is on logarithms.
struct Evidence {
  bool paired;                  // value i of both sides was measured in the same replicate
  std::int64_t baseline_count;  // replicates
  std::int64_t candidate_count;
  double baseline;  // median of the replicates
  double candidate;
  double ratio;                      // candidate / baseline
  std::optional<Interval> interval;  // of the ratio, 95 %; none: too few replicates
  double p;                          // of no change at all, two-sided, this metric alone
  double error;                      // standard error of the log ratio
  double degrees;                    // of freedom of that error
  double drift;                      // log ratio a replicate within both sides; 0 when paired
  bool drift_explains;  // two stretches of one drift could differ as much: see kDriftQuantile
  RankShift shift;      // of the logarithms
  std::vector<double> baseline_values;  // in the order measured
  std::vector<double> candidate_values;

  // Interval of the ratio that misses the true one with probability <= level.
  [[nodiscard]] std::optional<Interval> interval_at(double level) const;
};

// Values in the order measured, at least one a side, all > 0; throws Error otherwise.
Evidence compare_unpaired(std::span<const double> baseline, std::span<const double> candidate);

// As many values on both sides: the same replicates.
Evidence compare_paired(std::span<const double> baseline, std::span<const double> candidate);

// The same comparison, had the candidate followed the baseline on a machine that did not drift by
// `slope` (log ratio a replicate).
Evidence without_drift(const Evidence& e, double slope);

// Exact tests reach p = 2 / C(2n, n) at best (pairs: 2 / 2^n), however far apart the sides are. At
// this level they have ruled out chance under any noise, and for families that ask for less
// Student's t of the logarithms says how far.
constexpr double kExactLevel = 0.001;        // 7 replicates a side
constexpr double kExactLevelOfPairs = 0.01;  // 8 pairs

// Part of the error rate of pairs that is spent on their differences; the rest on their two sides.
constexpr double kShareOfPairs = 0.2;

// Runs that follow each other on a machine that drifts differ without a change. Unpaired sides
// must differ by more than the steepest drift that their replicates allow (99 %), continued from
// the middle of one side to that of the other.
constexpr double kDriftQuantile = 2.576;

}  // namespace bench
