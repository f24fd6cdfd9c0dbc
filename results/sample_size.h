#pragma once

#include <cstdint>
#include <optional>

#include "results/evidence.h"

namespace bench {

// Corrected p-value that an alarm needs.
constexpr double kAlarm = 0.01;

// What more, or other, replicates of the noise seen in `e` would show, in a family of `family`
// comparisons with the smallest effect of interest `min_effect`.

// The true change that would be found 4 times out of 5, as a fraction; none: no change would.
std::optional<double> detectable_effect(const Evidence& e, double min_effect, std::size_t family);

// Replicates a side (pairs) at which a change as large as the one seen would get another word than
// inconclusive; none: more than a thousand.
std::optional<std::int64_t> replicates_needed(const Evidence& e, double min_effect,
                                              std::size_t family);

}  // namespace bench
