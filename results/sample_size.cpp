#include "results/sample_size.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "harness/statistics.h"

namespace bench {
namespace {

constexpr double kPower = 0.842;  // standard normal quantile of 0.8
// Nine tenths of equal runs differ by less, the roughly known spread of a few values included.
constexpr double kEqual = 1.96;

// std::lgamma leaves the sign in a variable that all threads share.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// A comparison of `count` replicates a side, or pairs.
struct Size {
  bool paired;
  double count;

  [[nodiscard]] double degrees() const { return paired ? count - 1 : 2 * count - 2; }
  // The least p of the exact test: 2 / 2^n, 2 / C(2n, n).
  [[nodiscard]] double smallest_p() const {
    if (paired) return std::exp2(1 - count);
    return 2 * std::exp(2 * log_gamma(count + 1) - log_gamma(2 * count + 1));
  }
  [[nodiscard]] bool allows_interval() const { return smallest_p() <= 0.05; }
  [[nodiscard]] bool allows_alarm(double level) const {
    return smallest_p() <= std::max(level, paired ? kExactLevelOfPairs : kExactLevel);
  }
  [[nodiscard]] double error(double replicate) const {
    return replicate * std::sqrt((paired ? 1 : 2) / count);
  }
  // Of the drift between the middles of two sides of `count` replicates each, in a row.
  [[nodiscard]] double drift_error(double replicate) const {
    return paired ? 0 : replicate * std::sqrt(6 / count);
  }
  // Few are asked for, over and over.
  [[nodiscard]] double quantile(double level) const {
    thread_local std::map<std::pair<double, double>, double> known;
    const auto [at, is_new] = known.try_emplace({level, degrees()});
    if (is_new) at->second = student_t_quantile(1 - level / 2, degrees());
    return at->second;
  }
};

Size size_of(const Evidence& e) {
  // Of unequal sides the harmonic mean has the same standard error.
  const auto a = static_cast<double>(e.baseline_count);
  const auto b = static_cast<double>(e.candidate_count);
  return {e.paired, 2 * a * b / (a + b)};
}

bool settles(const Size& size, double replicate_error, double change, double effect, double level) {
  if (!size.allows_interval()) return false;
  const double error = size.error(replicate_error);
  const double half = size.quantile(0.05) * error;
  if (change <= effect) return half < effect - change;
  return size.allows_alarm(level) && half < change - effect &&
         size.quantile(level) * error < change &&
         kDriftQuantile * size.drift_error(replicate_error) < change;
}

// The standard deviation, from the middle three fifths: in normal noise 1.683 deviations wide, and
// in n values narrower by 1 - 1.4 / n (simulated).
double middle_deviation(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  return (percentile(values, 0.8) - percentile(values, 0.2)) / 1.683 * count / (count - 1.4);
}

}  // namespace

std::optional<double> detectable_effect(const Evidence& e, double min_effect, std::size_t family) {
  const Size size = size_of(e);
  const double level = kAlarm / static_cast<double>(family);
  if (!size.allows_interval() || !size.allows_alarm(level)) return std::nullopt;
  const double drift_error = size.drift_error(e.error / size.error(1));
  const double of_size = std::log1p(min_effect) + (size.quantile(0.05) + kPower) * e.error;
  const double of_alarm = (size.quantile(level) + kPower) * e.error;
  const double of_drift = kDriftQuantile * drift_error + kPower * std::hypot(e.error, drift_error);
  return std::expm1(std::max({of_size, of_alarm, of_drift}));
}

std::int64_t fewest_replicates(std::size_t family) {
  Size size{false, 6};  // fewer values have no exact interval of their centre
  const double level = kAlarm / static_cast<double>(family);
  while (!size.allows_interval() || !size.allows_alarm(level)) ++size.count;
  return static_cast<std::int64_t>(size.count);
}

std::optional<double> resolution(std::span<const double> values, std::size_t family) {
  if (std::ssize(values) < fewest_replicates(family)) return std::nullopt;
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  const Size size{false, static_cast<double>(logs.size())};
  return std::expm1((size.quantile(0.05) + kEqual) * size.error(middle_deviation(logs)));
}

std::optional<std::int64_t> replicates_needed(const Evidence& e, double min_effect,
                                              std::size_t family) {
  const Size now = size_of(e);
  const double replicate_error = e.error / now.error(1);
  const double level = kAlarm / static_cast<double>(family);
  const double change = std::abs(std::log(e.ratio));
  const auto enough = [&](std::int64_t count) {
    const Size size{e.paired, static_cast<double>(count)};
    return settles(size, replicate_error, change, std::log1p(min_effect), level);
  };
  auto low = static_cast<std::int64_t>(now.count);  // not enough: it was inconclusive
  std::int64_t high = kMostReplicates;
  if (low >= high || !enough(high)) return std::nullopt;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace bench
