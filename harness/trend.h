#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bench {

// The slope per position common to several series, each in the order taken, that outliers do not
// move: the median of all slopes between two values of one series (Theil 1950, Sen 1968).
// Differences between the series do not count. Throws Error when no series has two values.
double common_slope(std::span<const std::vector<double>> series);

// Sum of the squared distances of positions 0 .. count - 1 from their centre.
double squared_positions(std::size_t count);

}  // namespace bench
