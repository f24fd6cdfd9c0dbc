#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "results/evidence.h"

namespace bench {

// Corrected p-value that an alarm needs.
constexpr double kAlarm = 0.01;

// What more, or other, replicates of the noise seen in `e` would show, in a family of `family`
// comparisons with the smallest effect of interest `min_effect`.

// The true change that would be found 4 times out of 5, as a fraction; none: no change would.
std::optional<double> detectable_effect(const Evidence& e, double min_effect, std::size_t family);

// The smallest min_effect that has an answer where these replicates are one side and a second run
// of the same spread is the other: equal code is `unchanged` 9 times out of 10, and an alarm is
// possible. The spread is that of the middle three fifths of the logarithms: an outlier in seven
// does not move it, as it moves no verdict; a jump half-way does. A fraction; none: there are fewer
// than fewest_replicates().
std::optional<double> resolution(std::span<const double> values, std::size_t family);

// Replicates a side that an alarm needs, however large the change.
std::int64_t fewest_replicates(std::size_t family);

// More are not asked of anyone.
constexpr std::int64_t kMostReplicates = 1000;

// Replicates a side (pairs) at which a change as large as the one seen would get another word than
// inconclusive; none: more than kMostReplicates.
std::optional<std::int64_t> replicates_needed(const Evidence& e, double min_effect,
                                              std::size_t family);

}  // namespace bench
