#include "harness/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "harness/error.h"

namespace bench {
namespace {

void need(std::span<const double> values, std::size_t count) {
  if (values.size() < count) fail("too few values for a statistic");
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

// std::lgamma leaves the sign in a variable that all threads share.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// Number of values to leave out at each end of the sorted sample so that what remains still
// covers the median with 95 %: the largest k with P(Binomial(n, 1/2) < k) <= 2.5 %.
std::size_t trimmed_ranks(std::size_t count) {
  const auto n = static_cast<double>(count);
  const double log_half_power = -n * std::log(2.0);
  double tail = 0;
  std::size_t rank = 0;
  while (rank < count / 2) {
    const auto k = static_cast<double>(rank);
    tail += std::exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) + log_half_power);
    if (tail > 0.025) break;
    ++rank;
  }
  return rank;
}

// Continued fraction of the incomplete beta function (Lentz; Numerical Recipes 6.4).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kEnough = 1e-15;
  double c = 1;
  double d = 1 / std::max(std::abs(1 - (a + b) * x / (a + 1)), kTiny);
  double result = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / std::max(1 + even * d, kTiny);
    c = std::max(1 + even / c, kTiny);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / std::max(1 + odd * d, kTiny);
    c = std::max(1 + odd / c, kTiny);
    result *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return result;
}

// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_t_density(double t, double degrees_of_freedom) {
  const double half = degrees_of_freedom / 2;
  return std::exp(log_gamma(half + 0.5) - log_gamma(half) -
                  (half + 0.5) * std::log1p(t * t / degrees_of_freedom)) /
         std::sqrt(degrees_of_freedom * std::numbers::pi);
}

// The t >= 0 at which a symmetric distribution reaches `probability` >= 1/2: Newton's steps, halved
// into the bracket where they leave it.
template <typename Distribution, typename Density>
double upper_quantile(double probability, Distribution distribution, Density density) {
  double low = 0;
  double high = 1;
  while (distribution(high) < probability && high < 1e300) high *= 2;
  double t = high;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double excess = distribution(t) - probability;
    (excess < 0 ? low : high) = t;
    const double next = t - excess / density(t);
    if (std::abs(next - t) <= 1e-13 * t) return next;
    t = next > low && next < high ? next : (low + high) / 2;
  }
  return t;
}

}  // namespace

double median(std::span<const double> values) { return percentile(values, 0.5); }

// Only the two values around the position have to lie where sorting would put them.
double percentile(std::span<const double> values, double fraction) {
  need(values, 1);
  std::vector<double> copy(values.begin(), values.end());
  const double position = fraction * static_cast<double>(copy.size() - 1);
  const auto below = copy.begin() + static_cast<std::ptrdiff_t>(position);
  std::ranges::nth_element(copy, below);
  const double above = below + 1 == copy.end() ? *below : *std::min_element(below + 1, copy.end());
  return std::lerp(*below, above, position - std::floor(position));
}

double mean(std::span<const double> values) {
  need(values, 1);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  need(values, 2);
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Interval median_interval(std::span<const double> values) {
  need(values, 1);
  const std::vector<double> ordered = sorted(values);
  const std::size_t rank = trimmed_ranks(ordered.size());
  const std::size_t low = rank == 0 ? 0 : rank - 1;
  return {ordered[low], ordered[ordered.size() - 1 - low]};
}

double relative_error(std::span<const double> values) {
  constexpr std::size_t kFewest = 6;  // fewer cannot cover the median with 95 %
  if (values.size() < kFewest) return std::numeric_limits<double>::infinity();
  const Interval interval = median_interval(values);
  const double centre = median(values);
  if (centre == 0)
    return interval.high == interval.low ? 0 : std::numeric_limits<double>::infinity();
  return (interval.high - interval.low) / 2 / std::abs(centre);
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  need(x, 2);
  if (x.size() != y.size()) fail("fit_line: x and y differ in length");
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (xx == 0) fail("fit_line: all x are equal");
  const double slope = xy / xx;
  const double r2 = yy == 0 ? 1 : xy * xy / (xx * yy);
  return {slope, mean_y - slope * mean_x, r2};
}

double student_t_probability(double t, double degrees_of_freedom) {
  const double x = degrees_of_freedom / (degrees_of_freedom + t * t);
  const double tail = 0.5 * incomplete_beta(degrees_of_freedom / 2, 0.5, x);
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double probability, double degrees_of_freedom) {
  if (!(degrees_of_freedom > 0)) fail("student_t_quantile: needs degrees of freedom > 0");
  if (!(probability > 0 && probability < 1)) fail("student_t_quantile: probability outside (0, 1)");
  if (probability < 0.5) return -student_t_quantile(1 - probability, degrees_of_freedom);
  return upper_quantile(
      probability, [&](double t) { return student_t_probability(t, degrees_of_freedom); },
      [&](double t) { return student_t_density(t, degrees_of_freedom); });
}

double normal_quantile(double probability) {
  if (!(probability > 0 && probability < 1)) fail("normal_quantile: probability outside (0, 1)");
  if (probability < 0.5) return -normal_quantile(1 - probability);
  return upper_quantile(
      probability, [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; },
      [](double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); });
}

}  // namespace bench
