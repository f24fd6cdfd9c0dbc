#include "results/splits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
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

// [k]: level_gain of k values of n is this times the square of their excess.
std::vector<double> level_weights(std::size_t n) {
  std::vector<double> weights(n, 0);
  for (std::size_t k = 1; k < n; ++k) weights[k] = level_gain(1, k, n);
  return weights;
}

constexpr std::size_t kShuffles = 1999;

// The orders into which n values are shuffled, made when they are asked for.
class Orders {
 public:
  explicit Orders(std::size_t n) : order_(n) { std::iota(order_.begin(), order_.end(), 0); }

  std::span<const std::uint32_t> at(std::size_t shuffle) {
    while (made_.size() <= shuffle * order_.size()) {
      for (std::size_t i = order_.size() - 1; i > 0; --i) {
        // Not uniform_int_distribution, which differs between libraries.
        const std::uint64_t scaled = std::uint64_t{random_()} * (i + 1);
        std::swap(order_[i], order_[scaled >> 32]);
      }
      made_.insert(made_.end(), order_.begin(), order_.end());
    }
    return std::span(made_).subspan(shuffle * order_.size(), order_.size());
  }

  [[nodiscard]] std::size_t bytes() const { return made_.size() * sizeof(std::uint32_t); }

 private:
  std::mt19937 random_{1};  // a constant: equal data give equal answers
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> made_;
};

// The series of a store are mostly of one length: making their orders takes longer than using them.
Orders& orders_of(std::size_t n) {
  constexpr std::size_t kMostBytes = 64U << 20U;
  thread_local std::map<std::size_t, Orders> known;
  std::size_t bytes = 0;
  for (const auto& [length, orders] : known) bytes += orders.bytes();
  if (bytes > kMostBytes) known.clear();
  return known.try_emplace(n, n).first->second;
}

// `reaches`: whether shuffled values, less their mean, reach a gain.
template <typename Reaches>
double shuffle_p(std::span<const double> values, double gain, double level,
                 const Reaches& reaches) {
  constexpr double kRounding = 1 - 1e-9;
  if (gain <= 0) return 1;
  const double centre = mean(values);
  Orders& orders = orders_of(values.size());
  std::vector<double> shuffled(values.size());
  std::size_t reached = 1;  // the order seen is one of all orders
  for (std::size_t k = 0; k < kShuffles; ++k) {
    const auto order = orders.at(k);
    for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = values[order[i]] - centre;
    if (reaches(shuffled, gain * kRounding)) ++reached;
    if (static_cast<double>(reached) > level * (kShuffles + 1)) return 1;
  }
  return static_cast<double>(reached) / (kShuffles + 1);
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

double split_p(std::span<const double> values, double gain, double level) {
  const std::size_t n = values.size();
  const std::vector<double> weights = level_weights(n);
  return shuffle_p(values, gain, level, [&](std::span<const double> shuffled, double wanted) {
    double sum = 0;
    for (std::size_t at = 1; at + kShortestLevel <= n; ++at) {
      sum += shuffled[at - 1];
      if (at >= kShortestLevel && sum * sum * weights[at] >= wanted) return true;
    }
    return false;
  });
}

double bump_p(std::span<const double> values, double gain, double level) {
  const std::size_t n = values.size();
  const std::vector<double> weights = level_weights(n);
  std::vector<double> sums(n + 1, 0);
  return shuffle_p(values, gain, level, [&](std::span<const double> shuffled, double wanted) {
    for (std::size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + shuffled[i];
    for (std::size_t inside = kShortestLevel; inside + 2 * kShortestLevel <= n; ++inside) {
      const double least = wanted / weights[inside];
      std::size_t reached = 0;
      for (std::size_t begin = kShortestLevel; begin + inside + kShortestLevel <= n; ++begin) {
        const double excess = sums[begin + inside] - sums[begin];
        reached += excess * excess >= least ? 1 : 0;
      }
      if (reached > 0) return true;
    }
    return false;
  });
}

double trend_p(std::span<const double> values, double gain, double level) {
  return shuffle_p(values, gain, level, [](std::span<const double> shuffled, double wanted) {
    return trend_gain(shuffled) >= wanted;
  });
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
