#include "results/change_points.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/statistics.h"
#include "results/drifts.h"
#include "results/level_fit.h"
#include "results/splits.h"

namespace bench {
namespace {

// Shuffle p-values that a step, a bump and a trend need: together, one flat series in 200 shows
// any.
constexpr double kStepLevel = 0.003;
constexpr double kBumpLevel = 0.001;
constexpr double kTrendLevel = 0.001;

// Deviation of the noise from the differences of neighbours, which a few steps do not move.
double noise_of(std::span<const double> values) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < values.size(); ++i) {
    differences.push_back(std::abs(values[i] - values[i - 1]));
  }
  constexpr double kNormalMedian = 0.6745;
  return median(differences) / kNormalMedian / std::sqrt(2.0);
}

// Pulls values to within three deviations of the median of the five up to or from their place,
// whichever is nearer: a spike is cut, an edge is kept.
std::vector<double> tamed(std::span<const double> values) {
  constexpr std::size_t kWindow = 5;
  constexpr std::size_t kFewest = 3;
  const double reach = 3 * noise_of(values);
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::optional<double> nearest;
    const auto consider = [&](std::size_t first, std::size_t last) {
      if (last - first + 1 < kFewest) return;
      const double centre = median(values.subspan(first, last - first + 1));
      const double pulled = std::clamp(values[i], centre - reach, centre + reach);
      if (!nearest || std::abs(pulled - values[i]) < std::abs(*nearest - values[i])) {
        nearest = pulled;
      }
    };
    consider(i - std::min(i, kWindow - 1), i);
    consider(i, std::min(i + kWindow, values.size()) - 1);
    result.push_back(nearest.value_or(values[i]));
  }
  return result;
}

Transition step_at(std::size_t first_of_new_level) {
  return {first_of_new_level - 1, first_of_new_level};
}

// Splits the stretch [begin, end) as long as shuffles of it say that it is not one level.
void segment(std::span<const double> values, std::size_t begin, std::size_t end,
             std::vector<Transition>& found) {
  const auto stretch = values.subspan(begin, end - begin);
  const Split split = best_split(stretch);
  if (split.gain <= 0) return;
  if (split_p(stretch, split.gain, kStepLevel) < 1) {
    segment(values, begin, begin + split.at, found);
    found.push_back(step_at(begin + split.at));
    segment(values, begin + split.at, end, found);
    return;
  }
  const Bump bump = best_bump(stretch);
  if (bump.gain > 0 && bump_p(stretch, bump.gain, kBumpLevel) < 1) {
    segment(values, begin, begin + bump.begin, found);
    found.push_back(step_at(begin + bump.begin));
    segment(values, begin + bump.begin, begin + bump.end, found);
    found.push_back(step_at(begin + bump.end));
    segment(values, begin + bump.end, end, found);
    return;
  }
  if (stretch.size() <= kShortestDrift) return;
  if (trend_p(stretch, trend_gain(stretch), kTrendLevel) < 1) {
    found.push_back({begin, end - 1});
  }
}

// The values that a transition alone divides: from the end of the one before to the next one.
std::span<const double> around(std::span<const double> values,
                               std::span<const Transition> transitions, std::size_t k) {
  const std::size_t begin = k == 0 ? 0 : transitions[k - 1].to;
  const std::size_t end = k + 1 == transitions.size() ? values.size() : transitions[k + 1].from + 1;
  return values.subspan(begin, end - begin);
}

std::size_t begin_of_around(std::span<const Transition> transitions, std::size_t k) {
  return k == 0 ? 0 : transitions[k - 1].to;
}

// p of a transition when noise correlates from night to night: sums of such noise vary by
// `inflation` more than shuffles of it do.
double p_of(std::span<const double> values, const Transition& transition, double inflation) {
  constexpr double kWorthCounting = 0.2;
  const double of_split = split_p(values, best_split(values).gain / inflation, kWorthCounting);
  if (transition.is_step()) return of_split;
  return std::min(of_split, trend_p(values, trend_gain(values) / inflation, kWorthCounting));
}

// Puts each step where it divides its surroundings best.
void settle_steps(std::span<const double> values, std::vector<Transition>& transitions) {
  for (std::size_t k = 0; k < transitions.size(); ++k) {
    if (!transitions[k].is_step()) continue;
    const Split split = best_split(around(values, transitions, k));
    if (split.gain > 0) transitions[k] = step_at(begin_of_around(transitions, k) + split.at);
  }
}

double inflation_of(std::span<const double> values, std::span<const Transition> transitions) {
  const double rho = autocorrelation(fit_levels(values, transitions));
  return (1 + rho) / (1 - rho);
}

// Drops the least sure transition until all are sure.
std::vector<double> keep_sure(std::span<const double> values,
                              std::vector<Transition>& transitions) {
  while (true) {
    const double inflation = inflation_of(values, transitions);
    std::vector<double> p;
    for (std::size_t k = 0; k < transitions.size(); ++k) {
      p.push_back(p_of(around(values, transitions, k), transitions[k], inflation));
    }
    const auto worst = std::ranges::max_element(p);
    if (worst == p.end() || *worst <= kStepLevel) return p;
    transitions.erase(transitions.begin() + (worst - p.begin()));
    settle_steps(values, transitions);
    merge_into_drifts(values, transitions);
  }
}

}  // namespace

Changes find_changes(std::span<const double> values) {
  Changes result;
  if (values.size() < 2 * kShortestLevel) return result;
  const std::vector<double> series = tamed(values);
  std::vector<Transition> transitions;
  segment(series, 0, series.size(), transitions);
  settle_steps(series, transitions);
  merge_into_drifts(series, transitions);
  const std::vector<double> p = keep_sure(series, transitions);

  std::vector<Location> locations;
  for (std::size_t k = 0; k < transitions.size(); ++k) {
    Location at{transitions[k].from + 1, transitions[k].from + 1, transitions[k].from + 1};
    if (transitions[k].is_step()) {
      const std::size_t offset = begin_of_around(transitions, k);
      at = locate_split(around(series, transitions, k));
      at = {at.at + offset, at.earliest + offset, at.latest + offset};
    }
    locations.push_back(at);
  }
  for (std::size_t k = 0; k < transitions.size(); ++k) {
    if (transitions[k].is_step()) transitions[k] = step_at(locations[k].at);
  }
  const LevelFit fit = fit_levels(series, transitions);
  double level = fit.first_level;
  for (std::size_t k = 0; k < transitions.size(); ++k) {
    const double next = level + fit.rises[k];
    result.changes.push_back({locations[k].at, transitions[k].to, locations[k].earliest,
                              locations[k].latest, level, next, p[k]});
    level = next;
  }
  const auto freedom = static_cast<double>(values.size() - transitions.size()) - 1;
  result.noise = std::sqrt(fit.squares / std::max(freedom, 1.0));
  result.autocorrelation = autocorrelation(fit);
  return result;
}

}  // namespace bench
