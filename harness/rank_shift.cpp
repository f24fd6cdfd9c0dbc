#include "harness/rank_shift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "harness/error.h"

namespace bench {
namespace {

// Above this many differences the normal approximation is good to 1 % of any p that matters, and
// the counts would leave the range of double.
constexpr std::size_t kMostExact = 10'000;

// P(X <= k) for k = 0..count of a statistic with these moments, continuity corrected.
std::vector<double> normal_tail(std::size_t count, double variance) {
  const double centre = static_cast<double>(count) / 2;
  std::vector<double> tail(count + 1);
  for (std::size_t k = 0; k <= count; ++k) {
    const double z = (static_cast<double>(k) + 0.5 - centre) / std::sqrt(variance);
    tail[k] = std::erfc(-z / std::sqrt(2.0)) / 2;
  }
  return tail;
}

std::vector<double> cumulative(const std::vector<double>& counts) {
  double total = 0;
  for (const double count : counts) total += count;
  std::vector<double> tail;
  tail.reserve(counts.size());
  double sum = 0;
  for (const double count : counts) tail.push_back((sum += count) / total);
  return tail;
}

// The number of orderings of n + m values with k inversions is the coefficient of q^k in the
// Gaussian binomial: the product over i of (1 - q^(m + i)) / (1 - q^i), i = 1..n.
std::vector<double> rank_sum_tail(std::size_t n, std::size_t m) {
  const std::size_t most = n * m;
  if (most > kMostExact) {
    const auto pairs = static_cast<double>(most);
    return normal_tail(most, pairs * static_cast<double>(n + m + 1) / 12);
  }
  std::vector<double> counts(most + 1, 0);
  counts[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t k = most; k >= m + i; --k) counts[k] -= counts[k - m - i];
    for (std::size_t k = i; k <= most; ++k) counts[k] += counts[k - i];
  }
  return cumulative(counts);
}

// Each of the ranks 1..n is on the negative side or not: the product of (1 + q^i).
std::vector<double> signed_rank_tail(std::size_t n) {
  const std::size_t most = n * (n + 1) / 2;
  if (most > kMostExact) {
    const auto size = static_cast<double>(n);
    return normal_tail(most, size * (size + 1) * (2 * size + 1) / 24);
  }
  std::vector<double> counts(most + 1, 0);
  counts[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t k = most; k >= i; --k) counts[k] += counts[k - i];
  }
  return cumulative(counts);
}

using Tail = std::shared_ptr<const std::vector<double>>;

// Of the sizes asked for last: those of a run are mostly equal.
Tail known_rank_sum_tail(std::size_t n, std::size_t m) {
  thread_local std::pair<std::size_t, std::size_t> sizes;
  thread_local Tail tail;
  if (!tail || sizes != std::pair(n, m)) {
    tail = std::make_shared<const std::vector<double>>(rank_sum_tail(n, m));
    sizes = {n, m};
  }
  return tail;
}

}  // namespace

RankShift::RankShift(std::vector<double> differences, Tail tail)
    : differences_(std::move(differences)), tail_(std::move(tail)) {
  std::ranges::sort(differences_);
}

RankShift RankShift::unpaired(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) fail("a comparison needs values on both sides");
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double from : a) {
    for (const double to : b) differences.push_back(to - from);
  }
  return {std::move(differences), known_rank_sum_tail(a.size(), b.size())};
}

RankShift RankShift::paired(std::span<const double> a, std::span<const double> b) {
  if (a.empty()) fail("a comparison needs values on both sides");
  if (a.size() != b.size()) fail("paired values must be as many on both sides");
  std::vector<double> averages;
  averages.reserve(a.size() * (a.size() + 1) / 2);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i; j < a.size(); ++j) {
      averages.push_back((b[i] - a[i] + (b[j] - a[j])) / 2);
    }
  }
  return {std::move(averages),
          std::make_shared<const std::vector<double>>(signed_rank_tail(a.size()))};
}

double RankShift::p(double shift) const {
  const auto below = std::ranges::count_if(differences_, [&](double d) { return d < shift; });
  const auto above = std::ranges::count_if(differences_, [&](double d) { return d > shift; });
  const auto equal = static_cast<std::ptrdiff_t>(differences_.size()) - below - above;
  const auto fewer = static_cast<std::size_t>(std::min(below, above) + (equal + 1) / 2);
  return std::min(1.0, 2 * (*tail_)[fewer]);
}

double RankShift::smallest_p() const { return std::min(1.0, 2 * tail_->front()); }

std::optional<Interval> RankShift::interval(double level) const {
  // The k outermost differences may go from each end while P(at most k - 1) <= level / 2. The
  // margin lets a level that equals a probability count as reached in spite of rounding.
  constexpr double kMargin = 1 + 1e-9;
  const auto reached = [&](double probability) { return 2 * probability <= level * kMargin; };
  const auto rejected = std::ranges::partition_point(*tail_, reached);
  if (rejected == tail_->begin()) return std::nullopt;
  const std::ptrdiff_t most = (std::ssize(differences_) + 1) / 2;
  const auto first = static_cast<std::size_t>(std::min(rejected - tail_->begin(), most) - 1);
  return Interval{differences_[first], differences_[differences_.size() - 1 - first]};
}

double RankShift::estimate() const { return median(differences_); }

}  // namespace bench
