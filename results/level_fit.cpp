#include "results/level_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bench {
namespace {

// How much of a transition has happened at a position: 0 to 1.
double progress(const Transition& t, std::size_t position) {
  const double done = static_cast<double>(position) - static_cast<double>(t.from);
  return std::clamp(done / static_cast<double>(t.to - t.from), 0.0, 1.0);
}

// Solves the positive (semi)definite system in place by Gauss-Jordan; a column without a pivot
// gets 0. `system` has one more column than rows: the right-hand side.
std::vector<double> solve(std::vector<std::vector<double>> system) {
  const std::size_t size = system.size();
  std::vector<double> solution(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    constexpr double kSmallestPivot = 1e-9;
    if (std::abs(system[i][i]) < kSmallestPivot) continue;
    for (std::size_t row = 0; row < size; ++row) {
      if (row == i) continue;
      const double factor = system[row][i] / system[i][i];
      for (std::size_t column = i; column <= size; ++column) {
        system[row][column] -= factor * system[i][column];
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (system[i][i] != 0) solution[i] = system[i][size] / system[i][i];
  }
  return solution;
}

}  // namespace

LevelFit fit_levels(std::span<const double> values, std::span<const Transition> transitions) {
  const std::size_t unknowns = transitions.size() + 1;
  std::vector<std::vector<double>> system(unknowns, std::vector<double>(unknowns + 1, 0));
  std::vector<double> row(unknowns + 1, 1);
  const auto fill_row = [&](std::size_t position) {
    for (std::size_t k = 0; k < transitions.size(); ++k) {
      row[k + 1] = progress(transitions[k], position);
    }
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    fill_row(i);
    for (std::size_t a = 0; a < unknowns; ++a) {
      for (std::size_t b = 0; b < unknowns; ++b) system[a][b] += row[a] * row[b];
      system[a][unknowns] += row[a] * values[i];
    }
  }
  const std::vector<double> solution = solve(std::move(system));
  LevelFit fit{.first_level = solution[0],
               .rises = {solution.begin() + 1, solution.end()},
               .residuals = {},
               .squares = 0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    fill_row(i);
    double level = 0;
    for (std::size_t k = 0; k < unknowns; ++k) level += row[k] * solution[k];
    fit.residuals.push_back(values[i] - level);
    fit.squares += fit.residuals.back() * fit.residuals.back();
  }
  return fit;
}

double autocorrelation(const LevelFit& fit) {
  constexpr std::size_t kFewest = 20;  // fewer nights cannot tell
  if (fit.residuals.size() < kFewest || fit.squares <= 0) return 0;
  const auto n = static_cast<double>(fit.residuals.size());
  double products = 0;
  for (std::size_t i = 1; i < fit.residuals.size(); ++i) {
    products += fit.residuals[i - 1] * fit.residuals[i];
  }
  const double raw = products / fit.squares;
  // Each fitted level takes (1 + 3 rho) / n from the estimate (Marriott & Pope 1954).
  const auto levels = static_cast<double>(fit.rises.size() + 1);
  const double corrected = raw + (1 + 3 * std::max(raw, 0.0)) * levels / n;
  constexpr double kClear = 1.645;
  constexpr double kHighest = 0.95;
  return corrected > kClear / std::sqrt(n) ? std::min(corrected, kHighest) : 0;
}

}  // namespace bench
