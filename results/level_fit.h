#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bench {

// From one level to the next: at the old level up to and including `from`, at the new one from `to`
// on, in a straight line between. A step has to = from + 1.
struct Transition {
  std::size_t from;
  std::size_t to;
  [[nodiscard]] bool is_step() const { return to == from + 1; }
};

// Least-squares fit of levels joined by the transitions, which are in order.
struct LevelFit {
  double first_level = 0;
  std::vector<double> rises;      // of each transition
  std::vector<double> residuals;  // value - fit
  double squares = 0;             // sum of the residuals' squares
};
LevelFit fit_levels(std::span<const double> values, std::span<const Transition> transitions);

// Correlation of a night's residual with the next one's, where clearly above 0 (5 %, 20 nights or
// more); else 0. Corrected for the levels that were fitted.
double autocorrelation(const LevelFit& fit);

}  // namespace bench
