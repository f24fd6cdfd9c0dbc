#include "results/drifts.h"

#include <algorithm>
#include <cmath>

#include "harness/statistics.h"
#include "results/splits.h"

namespace bench {
namespace {

// What each part of a description costs, in units of log(nights).
constexpr double kLevelCost = 1;
constexpr double kStepCost = 3;
constexpr double kDriftCost = 4.5;
constexpr double kOneStepBonus = 2;

double sum_of_squares(std::span<const double> values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

// Schwarz's criterion of a description that leaves `squares` unexplained: the lower the better.
double criterion(double squares, double cost, std::size_t nights) {
  constexpr double kSmallest = 1e-24;  // of a series without noise
  const auto n = static_cast<double>(nights);
  return n * std::log(std::max(squares / n, kSmallest)) + cost * std::log(n);
}

// The best level - line - level over a stretch.
struct Ramp {
  Transition transition{0, 1};
  double rise = 0;
  double squares = 0;
};

Ramp best_ramp(std::span<const double> values) {
  const std::size_t n = values.size();
  std::vector<double> sums{0};     // of values
  std::vector<double> moments{0};  // of position x value
  for (std::size_t i = 0; i < n; ++i) {
    sums.push_back(sums.back() + values[i]);
    moments.push_back(moments.back() + static_cast<double>(i) * values[i]);
  }
  const double squares = sum_of_squares(values);
  const double centre = sums[n] / static_cast<double>(n);
  Ramp best{.squares = squares};
  for (std::size_t from = 0; from < n; ++from) {
    for (std::size_t to = from + kShortestDrift; to < n; ++to) {
      // Regression on the progress f of the ramp: sums of f, f^2 and f x value.
      const auto length = static_cast<double>(to - from);
      const auto after = static_cast<double>(n - 1 - to);
      const double f = (length + 1) / 2 + after;
      const double ff = (length + 1) * (2 * length + 1) / (6 * length) + after;
      const double fx = (moments[to + 1] - moments[from] -
                         static_cast<double>(from) * (sums[to + 1] - sums[from])) /
                            length +
                        sums[n] - sums[to + 1];
      const double variance = ff - f * f / static_cast<double>(n);
      const double covariance = fx - f * centre;
      const double left = squares - covariance * covariance / variance;
      if (left < best.squares) best = {{from, to}, covariance / variance, left};
    }
  }
  return best;
}

double cost_of(std::span<const Transition> transitions) {
  double cost = kLevelCost;
  for (const Transition& t : transitions) cost += t.is_step() ? kStepCost : kDriftCost;
  return cost;
}

// A drift in place of transitions first..last.
struct Merger {
  double better_by = 0;  // of the criterion
  std::size_t first = 0;
  std::size_t last = 0;
  Transition drift{0, 1};
};

Merger merger_of(std::span<const double> values, std::span<const Transition> transitions,
                 const LevelFit& fit, std::size_t first, std::size_t last) {
  const std::size_t begin = first == 0 ? 0 : transitions[first - 1].to;
  const std::size_t end =
      last + 1 == transitions.size() ? values.size() : transitions[last + 1].from + 1;
  const auto stretch = values.subspan(begin, end - begin);
  const std::size_t nights = stretch.size();
  if (nights <= kShortestDrift) return {};
  const Ramp ramp = best_ramp(stretch);
  if (ramp.rise * fit.rises[first] <= 0) return {};
  double squares = 0;
  for (std::size_t i = begin; i < end; ++i) squares += fit.residuals[i] * fit.residuals[i];
  const double as_is =
      criterion(squares, cost_of(transitions.subspan(first, last - first + 1)), nights);
  const double one_step = criterion(sum_of_squares(stretch) - best_split(stretch).gain,
                                    kLevelCost + kStepCost - kOneStepBonus, nights);
  const double as_drift = criterion(ramp.squares, kLevelCost + kDriftCost, nights);
  return {std::min(as_is, one_step) - as_drift,
          first,
          last,
          {begin + ramp.transition.from, begin + ramp.transition.to}};
}

Merger best_merger(std::span<const double> values, std::span<const Transition> transitions) {
  Merger best;
  const LevelFit fit = fit_levels(values, transitions);
  for (std::size_t first = 0; first < transitions.size(); ++first) {
    for (std::size_t last = first; last < transitions.size(); ++last) {
      if (fit.rises[last] * fit.rises[first] <= 0) break;  // the other direction
      if (first == last && !transitions[first].is_step()) continue;
      const Merger merger = merger_of(values, transitions, fit, first, last);
      if (merger.better_by > best.better_by) best = merger;
    }
  }
  return best;
}

}  // namespace

void merge_into_drifts(std::span<const double> values, std::vector<Transition>& transitions) {
  while (true) {
    const Merger merger = best_merger(values, transitions);
    if (merger.better_by <= 0) return;
    const auto first = transitions.begin() + static_cast<std::ptrdiff_t>(merger.first);
    const auto after = transitions.begin() + static_cast<std::ptrdiff_t>(merger.last) + 1;
    transitions.insert(transitions.erase(first, after), merger.drift);
  }
}

}  // namespace bench
