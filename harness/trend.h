#pragma once

#include <span>
#include <vector>

#include "harness/statistics.h"

namespace bench {

// A slope per position that outliers do not move: the median of all slopes between two values of
// one series (Theil 1950, Sen 1968).
struct Trend {
  double slope;
  Interval interval;  // of the slope, at the level asked for
  double p;           // two-sided, of no trend (Kendall; normal approximation)
};

// One slope common to several series, each in the order taken; differences between the series do
// not count. Throws Error when no series has two values.
Trend common_trend(std::span<const std::vector<double>> series, double level);

}  // namespace bench
