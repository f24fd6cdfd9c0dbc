#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "results/change_points.h"
#include "tests/results/simulated_series.h"

namespace bench {

constexpr std::size_t kNights = 90;
constexpr double kDeviation = 0.005;

inline Changes changes_of(const SimulatedSeries& series) {
  std::vector<double> logs;
  for (const double value : series.values) logs.push_back(std::log(value));
  return find_changes(logs);
}

// Shares of the series of a row.
struct Rates {
  double recall = 0;            // every true step was found within two nights
  double with_false_point = 0;  // a step more than two nights from any true one, or a false drift
  double one_drift = 0;         // one drift and nothing else was found
};

inline bool near(std::size_t a, std::size_t b) { return std::max(a, b) - std::min(a, b) <= 2; }

inline void count(Rates& rates, const SimulatedSeries& series, const Changes& found) {
  const auto is_step = [](const Change& c) { return !c.is_drift(); };
  const bool all = std::ranges::all_of(series.steps, [&](std::size_t at) {
    return std::ranges::any_of(found.changes,
                               [&](const Change& c) { return is_step(c) && near(c.begin, at); });
  });
  const bool wrong = std::ranges::any_of(found.changes, [&](const Change& c) {
    if (c.is_drift()) return !series.drifts;
    return std::ranges::none_of(series.steps, [&](std::size_t at) { return near(c.begin, at); });
  });
  rates.recall += !series.steps.empty() && all ? 1 : 0;
  rates.with_false_point += wrong ? 1 : 0;
  rates.one_drift += found.changes.size() == 1 && found.changes[0].is_drift() ? 1 : 0;
}

inline Rates rates_of(const std::string& row, std::size_t series, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Rates rates;
  for (std::size_t i = 0; i < series; ++i) {
    const SimulatedSeries simulated = simulate_series(row, kNights, kDeviation, random);
    count(rates, simulated, changes_of(simulated));
  }
  const auto total = static_cast<double>(series);
  return {rates.recall / total, rates.with_false_point / total, rates.one_drift / total};
}

}  // namespace bench
