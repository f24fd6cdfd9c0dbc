#include "harness/trend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/error.h"

namespace bench {
namespace {

// Sorted slopes between every two values of one series, and the variance of Kendall's count of
// rising less falling pairs when there is no trend.
struct Slopes {
  std::vector<double> sorted;
  double variance = 0;
};

Slopes slopes_of(std::span<const std::vector<double>> series) {
  Slopes slopes;
  for (const std::vector<double>& values : series) {
    const auto n = static_cast<double>(values.size());
    slopes.variance += n * (n - 1) * (2 * n + 5) / 18;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        slopes.sorted.push_back((values[j] - values[i]) / static_cast<double>(j - i));
      }
    }
  }
  std::ranges::sort(slopes.sorted);
  return slopes;
}

}  // namespace

Trend common_trend(std::span<const std::vector<double>> series, double level) {
  const Slopes slopes = slopes_of(series);
  if (slopes.sorted.empty()) fail("a trend needs two values");
  const auto count = std::ssize(slopes.sorted);
  const auto rising = std::ranges::count_if(slopes.sorted, [](double s) { return s > 0; });
  const auto falling = std::ranges::count_if(slopes.sorted, [](double s) { return s < 0; });
  const double deviation = std::sqrt(slopes.variance);
  const double excess = std::max<double>(0, static_cast<double>(std::abs(rising - falling)) - 1);
  const double half = normal_quantile(1 - level / 2) * deviation;
  const auto first = static_cast<std::size_t>(
      std::clamp((static_cast<double>(count) - half) / 2, 0.0, static_cast<double>(count - 1) / 2));
  return {.slope = median(slopes.sorted),
          .interval = {slopes.sorted[first], slopes.sorted[slopes.sorted.size() - 1 - first]},
          .p = std::erfc(excess / deviation / std::sqrt(2.0))};
}

}  // namespace bench
