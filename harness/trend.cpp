#include "harness/trend.h"

#include <cstddef>

#include "harness/error.h"
#include "harness/statistics.h"

namespace bench {

double common_slope(std::span<const std::vector<double>> series) {
  std::vector<double> slopes;
  for (const std::vector<double>& values : series) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
      }
    }
  }
  if (slopes.empty()) fail("a slope needs two values");
  return median(slopes);
}

double squared_positions(std::size_t count) {
  const auto n = static_cast<double>(count);
  return n * (n * n - 1) / 12;
}

}  // namespace bench
