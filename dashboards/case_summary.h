#pragma once

#include "dashboards/summary.h"

namespace bench {

// Fills everything of `c` that its own measurements give. `copy_bytes_per_s` 0: unknown.
void summarize_case(CaseSummary& c, double copy_bytes_per_s);

// Fills change and saving of `c` against the baseline variant of its point.
void compare_with_baseline(CaseSummary& c, const CaseSummary& baseline);

// 95 % interval of the ratio after/before: log ratios paired by replicate, Student's t. None below
// two pairs.
std::optional<Interval> paired_ratio_interval(const std::vector<ReplicateTime>& before,
                                              const std::vector<ReplicateTime>& after);

}  // namespace bench
