#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/error.h"
#include "results/fitness.h"
#include "results/row.h"
#include "results/run.h"
#include "results/side.h"

namespace bench {

struct CompareOptions {
  std::vector<Asked> asked;            // empty: the main metrics of each runner
  std::string workload;                // only of this one; empty: all
  std::optional<double> min_effect{};  // of those asked without one of their own
  bool across_machines = false;        // compare in spite of another machine, and mark it
  std::size_t family = 0;              // the least size of the family: judge() in verdict.h
};

// Geometric mean of the ratios of one metric over the cases that both sides have.
struct MeanRatio {
  std::string metric;
  std::string variant;  // within one run; else empty: of all cases
  std::int64_t cases;
  double ratio;
};

// Everything that compare, gate, reports and exports say comes from this object.
struct Comparison {
  bool within_run = false;  // variants against the baseline variant of their point
  RunInfo baseline;
  RunInfo candidate;
  std::vector<FactDifference> differences;
  std::string refused;  // why nothing was compared; empty: it was
  std::string marked;   // why it is no like-for-like comparison; empty: it is one
  std::vector<Row> rows;
  std::vector<MeanRatio> means;

  [[nodiscard]] std::int64_t count(Word word) const;
  // regression; unjudged when refused, empty, or any row is missing, invalid or, if `strict`,
  // inconclusive; else ok.
  [[nodiscard]] Exit exit(bool strict) const;
};

// Two runs, case by case; replicates are independent.
Comparison compare(const RunRecord& baseline, const RunRecord& candidate,
                   const CompareOptions& options = {});

// The same of runs whose sides_of() serve several comparisons. The measurements are the sides'.
struct SidedRun {
  const RunRecord& run;
  const Sides& sides;
};
Comparison compare(const SidedRun& baseline, const SidedRun& candidate,
                   const CompareOptions& options);

// The variants of one run against the baseline variant of their workload. They were interleaved, so
// their replicates are pairs.
Comparison compare_variants(const RunRecord& run, const CompareOptions& options = {});

}  // namespace bench
