#pragma once

#include <cstdint>
#include <span>

namespace bench {

// Pure functions on plain numbers. Empty input throws Error: an absent figure is the caller's to
// name, never 0. Order of the input does not matter.
double median(std::span<const double> values);
double percentile(std::span<const double> values, double fraction);  // linear (Hyndman-Fan 7)
double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);  // n - 1; needs two

struct Interval {
  double low;
  double high;
};

// Distribution-free 95 % interval of the median from order statistics (binomial; Hahn & Meeker
// 1991, section 5.2). Below six values no such interval exists: returns [min, max].
Interval median_interval(std::span<const double> values);

// Half width of median_interval over the median; infinity below six values.
double relative_error(std::span<const double> values);

// Slope, intercept and R2 of the least-squares line through (x, y).
struct Line {
  double slope;
  double intercept;
  double r2;
};
Line fit_line(std::span<const double> x, std::span<const double> y);

// Distribution function of Student's t, and its inverse.
double student_t_probability(double t, double degrees_of_freedom);  // P(T <= t)
double student_t_quantile(double probability, double degrees_of_freedom);

// P(Z <= normal_quantile(probability)) = probability for a standard normal Z.
double normal_quantile(double probability);

}  // namespace bench
