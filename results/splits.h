#pragma once

#include <cstddef>
#include <span>

namespace bench {

// Ways in which a stretch of a series may not be one level. `gain` is by how much each lowers the
// sum of squares. No level is shorter than kShortestLevel: one odd night is no change.
constexpr std::size_t kShortestLevel = 3;

// Two levels. gain 0: the stretch is too short.
struct Split {
  std::size_t at = 0;  // first value of the second level
  double gain = 0;
};
Split best_split(std::span<const double> values);

// A level between two stretches of another (Olshen et al. 2004).
struct Bump {
  std::size_t begin = 0;
  std::size_t end = 0;
  double gain = 0;
};
Bump best_bump(std::span<const double> values);

// Of a straight line over a level.
double trend_gain(std::span<const double> values);

// Probability that a shuffled stretch has a split, a bump or a trend of at least this gain: exact
// for any noise that does not depend on the night before. 1 as soon as it is sure to be above
// `level`. The shuffles are the same in every call, so equal data give equal answers.
double split_p(std::span<const double> values, double gain, double level);
double bump_p(std::span<const double> values, double gain, double level);
double trend_p(std::span<const double> values, double gain, double level);

// Where the second of two levels begins.
struct Location {
  std::size_t at;        // most probable to within two values
  std::size_t earliest;  // 95 %
  std::size_t latest;
};
Location locate_split(std::span<const double> values);

}  // namespace bench
