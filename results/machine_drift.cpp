#include "results/machine_drift.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "harness/statistics.h"
#include "harness/trend.h"

namespace bench {
namespace {

// The weighted mean over cases of how much worse each replicate of one side was than the side.
struct Course {
  std::vector<double> sums;
  std::vector<double> weights;

  void add(const std::vector<double>& values, double weight, bool lower_is_better) {
    if (sums.size() < values.size()) {
      sums.resize(values.size());
      weights.resize(values.size());
    }
    std::vector<double> worse;
    worse.reserve(values.size());
    for (const double value : values) worse.push_back((lower_is_better ? 1 : -1) * std::log(value));
    const double centre = mean(worse);
    for (std::size_t i = 0; i < worse.size(); ++i) {
      sums[i] += weight * (worse[i] - centre);
      weights[i] += weight;
    }
  }

  [[nodiscard]] std::vector<double> means() const {
    std::vector<double> means;
    for (std::size_t i = 0; i < sums.size(); ++i) means.push_back(sums[i] / weights[i]);
    return means;
  }
};

double squares_around(const std::vector<double>& course, double slope) {
  if (course.empty()) return 0;
  const double centre = mean(course);
  const double middle = (static_cast<double>(course.size()) - 1) / 2;
  double squares = 0;
  for (std::size_t i = 0; i < course.size(); ++i) {
    const double rest = course[i] - centre - slope * (static_cast<double>(i) - middle);
    squares += rest * rest;
  }
  return squares;
}

}  // namespace

double machine_drift(std::span<const Judged> family) {
  std::array<Course, 2> sides;
  for (const Judged& judged : family) {
    const Evidence& e = judged.evidence;
    if (e.paired || !(e.error > 0)) continue;
    const double weight = 1 / (e.error * e.error);
    const bool lower = judged.question.better == Better::lower;
    sides[0].add(e.baseline_values, weight, lower);
    sides[1].add(e.candidate_values, weight, lower);
  }
  const std::array courses{sides[0].means(), sides[1].means()};
  const auto count = static_cast<double>(courses[0].size() + courses[1].size());
  if (count <= 3) return 0;
  const double slope = common_slope(courses);
  const double squares = squares_around(courses[0], slope) + squares_around(courses[1], slope);
  const double positions =
      squared_positions(courses[0].size()) + squared_positions(courses[1].size());
  const double error = std::sqrt(squares / (count - 3) / positions);
  return std::abs(slope) > student_t_quantile(0.995, count - 3) * error ? slope : 0;
}

}  // namespace bench
