#include "results/splits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "harness/statistics.h"

namespace bench {
namespace {

// [i]: sum of the first i values, less as many means.
std::vector<double> running_sums(std::span<const double> values) {
  const double centre = mean(values);
  std::vector<double> sums{0};
  for (const double value : values) sums.push_back(sums.back() + value - centre);
  return sums;
}

// Gain of giving `inside` of `all` values, whose sum is off by `excess`, a mean of their own.
double level_gain(double excess, std::size_t inside, std::size_t all) {
  const auto n = static_cast<double>(all);
  const auto k = static_cast<double>(inside);
  return excess * excess * n / (k * (n - k));
}

void shuffle(std::vector<double>& values, std::mt19937& random) {
  for (std::size_t i = values.size() - 1; i > 0; --i) {
    // Not uniform_int_distribution, which differs between libraries.
    const std::uint64_t scaled = std::uint64_t{random()} * (i + 1);
    std::swap(values[i], values[scaled >> 32]);
  }
}

// Posterior of every first value of the second level, for a flat prior and normal noise; not
// normalised.
std::vector<double> split_weights(std::span<const double> values) {
  const std::vector<double> sums = running_sums(values);
  const Split best = best_split(values);
  double squares = 0;
  const double centre = mean(values);
  for (const double value : values) squares += (value - centre) * (value - centre);
  const double variance =
      std::max((squares - best.gain) / static_cast<double>(values.size() - 2), 1e-30);
  std::vector<double> weights(values.size(), 0);
  for (std::size_t at = kShortestLevel; at + kShortestLevel <= values.size(); ++at) {
    const double less = best.gain - level_gain(sums[at], at, values.size());
    const auto k = static_cast<double>(at);
    const auto rest = static_cast<double>(values.size() - at);
    weights[at] = std::exp(-less / 2 / variance) / std::sqrt(k * rest);
  }
  return weights;
}

}  // namespace

Split best_split(std::span<const double> values) {
  Split best;
  if (values.size() < 2 * kShortestLevel) return best;
  const double centre = mean(values);
  double sum = 0;
  for (std::size_t at = 1; at + kShortestLevel <= values.size(); ++at) {
    sum += values[at - 1] - centre;
    if (at < kShortestLevel) continue;
    const double gain = level_gain(sum, at, values.size());
    if (gain > best.gain) best = {at, gain};
  }
  return best;
}

Bump best_bump(std::span<const double> values) {
  Bump best;
  if (values.size() < 3 * kShortestLevel) return best;
  const std::vector<double> sums = running_sums(values);
  for (std::size_t begin = kShortestLevel; begin + 2 * kShortestLevel <= values.size(); ++begin) {
    for (std::size_t end = begin + kShortestLevel; end + kShortestLevel <= values.size(); ++end) {
      const double gain = level_gain(sums[end] - sums[begin], end - begin, values.size());
      if (gain > best.gain) best = {begin, end, gain};
    }
  }
  return best;
}

double trend_gain(std::span<const double> values) {
  if (values.size() < kShortestLevel) return 0;
  const auto n = static_cast<double>(values.size());
  double covariance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    covariance += (static_cast<double>(i) - (n - 1) / 2) * values[i];
  }
  return covariance * covariance / (n * (n * n - 1) / 12);
}

double shuffle_p(std::span<const double> values, double gain, double level, const Gain& of) {
  constexpr int kShuffles = 1999;
  constexpr double kRounding = 1 - 1e-9;
  std::mt19937 random(1);  // a constant: equal data give equal answers
  std::vector<double> shuffled(values.begin(), values.end());
  int reached = 1;  // the order seen is one of all orders
  for (int i = 0; i < kShuffles; ++i) {
    shuffle(shuffled, random);
    if (of(shuffled) >= gain * kRounding) ++reached;
    if (reached > level * (kShuffles + 1)) return 1;
  }
  return static_cast<double>(reached) / (kShuffles + 1);
}

Location locate_split(std::span<const double> values) {
  const std::vector<double> weights = split_weights(values);
  constexpr std::size_t kNear = 2;
  double total = 0;
  for (const double weight : weights) total += weight;
  Location location{0, 0, 0};
  double most = -1;
  double sum = 0;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    if (sum < 0.025 * total) location.earliest = at;
    sum += weights[at];
    if (sum <= 0.975 * total) location.latest = at + 1;
    double near = weights[at] * 1e-6;  // of two equal neighbourhoods the likelier centre
    for (std::size_t i = at - std::min(at, kNear); i <= std::min(at + kNear, weights.size() - 1);
         ++i) {
      near += weights[i];
    }
    if (weights[at] > 0 && near > most) {
      most = near;
      location.at = at;
    }
  }
  location.latest = std::max(location.latest, location.at);
  location.earliest = std::min(location.earliest, location.at);
  return location;
}

}  // namespace bench
