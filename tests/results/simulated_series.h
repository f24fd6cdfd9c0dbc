#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace bench {

// A series of nights whose true changes are known, in deviations of the noise.
struct SimulatedSeries {
  std::vector<double> values;
  std::vector<std::size_t> steps;  // true ones
  bool drifts = false;             // truly, for some of its nights
};

// The rows of the table in which change point detectors are compared.
inline const std::vector<std::string>& series_rows() {
  static const std::vector<std::string> rows{
      "flat",   "heavy_tails", "bimodal",     "autocorrelated", "spike",      "step_1",  "step_2",
      "step_3", "step_5",      "up_and_down", "drift",          "ten_nights", "last_ten"};
  return rows;
}

inline std::vector<double> simulated_noise(const std::string& row, std::size_t nights,
                                           std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(3);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> noise;
  double previous = normal(random) / std::sqrt(1 - 0.25);
  for (std::size_t i = 0; i < nights; ++i) {
    double value = normal(random);
    if (row == "heavy_tails") value = heavy(random);
    if (row == "bimodal" && uniform(random) < 0.2) value += 3;
    if (row == "autocorrelated") value = previous = 0.5 * previous + value;
    noise.push_back(value);
  }
  if (row == "spike") noise[random() % nights] += 8;
  return noise;
}

// `deviation` is relative to the level of 1.
inline SimulatedSeries simulate_series(const std::string& row, std::size_t nights, double deviation,
                                       std::mt19937_64& random) {
  SimulatedSeries series{.values = simulated_noise(row, nights, random), .steps = {}};
  const auto within = [&](std::size_t low, std::size_t high) {
    return low + random() % (high - low + 1);
  };
  double height = 0;
  if (row.starts_with("step_")) {
    height = std::stod(row.substr(5));
    series.steps = {within(20, nights - 20)};
  }
  if (row == "up_and_down") {
    height = 3;
    const std::size_t up = within(15, nights - 30);
    series.steps = {up, within(up + 10, nights - 15)};
  }
  const bool ten_nights = row == "ten_nights" || row == "last_ten";
  series.drifts = ten_nights || row == "drift";
  const double start = row == "ten_nights" ? 40 : static_cast<double>(nights) - 11;
  for (std::size_t i = 0; i < nights; ++i) {
    const auto night = static_cast<double>(i);
    double level = 0;
    for (std::size_t k = 0; k < series.steps.size(); ++k) {
      if (i >= series.steps[k]) level += k % 2 == 0 ? height : -height;
    }
    if (row == "drift") level = 0.1 * night;  // one deviation in ten nights
    if (ten_nights) level = std::clamp(night - start, 0.0, 10.0);
    series.values[i] = 1 + deviation * (series.values[i] + level);
  }
  return series;
}

}  // namespace bench
