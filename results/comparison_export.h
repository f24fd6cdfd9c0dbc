#pragma once

#include <string>

#include "results/compare.h"

namespace bench {

// A comparison in forms for programs. All say what Comparison says; none decides anything.

// A reader of version N can read every version up to N; members that a later one adds may be
// ignored, and a change it could misread is a new version.
inline constexpr int kComparisonVersion = 1;

// One JSON object, a line a row:
//   schema_version   kComparisonVersion
//   baseline, candidate  {id, number, name, started_unix_s, host, tag}
//   within_run       variants of one run against its baseline variant
//   refused, marked  why the runs were not, or should not be, compared; ""
//   differences      [{name, baseline, candidate, role}] of the environments
//   counts           {improved, regressed, unchanged, inconclusive, missing, invalid}
//   exit             the exit code of `bench compare`; exit_strict: with --strict
//   means            [{metric, variant, cases, ratio}] geometric
//   rows             [{workload, label, case, variant, baseline_variant, metric, unit, better,
//                      word, reason, min_effect, baseline, candidate, ratio, interval: [low, high],
//                      adjusted: [low, high], p, p_adjusted, detectable, replicates_needed,
//                      replicates: [baseline, candidate], paired, cycles: [low, high],
//                      stages: [{stage, baseline_s, candidate_s, change_s, interval_s, cause,
//                                explanation}], relative_to, control_ratio}]
// ratio = candidate / baseline, and the intervals are of that ratio. What is unknown is left out.
// relative_to: a variant of a gate; `candidate` is what it would be, had that variant not changed
// by control_ratio.
std::string comparison_json(const Comparison& comparison);

// One line a row with the same names; cells that would be formulas to a spreadsheet are quoted.
std::string comparison_csv(const Comparison& comparison);

// JUnit XML: a test case a row. regressed is a failure, missing and invalid are errors,
// inconclusive is skipped (an error if `strict`).
std::string comparison_junit(const Comparison& comparison, bool strict);

}  // namespace bench
