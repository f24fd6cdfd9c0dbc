#include "results/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/error.h"
#include "harness/trend.h"

namespace bench {
namespace {

using Values = std::vector<double>;

Values logarithms(std::span<const double> values) {
  Values logs;
  for (const double value : values) {
    if (!(value > 0)) fail("a ratio needs values above 0");
    logs.push_back(std::log(value));
  }
  return logs;
}

// Mean difference with its standard error, for Student's t.
struct Difference {
  double mean;
  double error;
  double degrees;
  bool clear = true;  // Student's t may be believed beyond the reach of ranks
};

// Processes that start in one of two modes put most pairs a mode apart and leave one near 0, which
// Student's t takes for a shift. A true shift moves every pair: the nearest lies clear of 0.
bool clear_of_zero(const Values& differences) {
  const auto [low, high] = std::ranges::minmax(differences);
  return std::min(std::abs(low), std::abs(high)) >= (high - low) / 8;
}

double squared_error(const Values& values) {  // of their mean
  if (values.size() < 2) return 0;
  const double deviation = standard_deviation(values);
  return deviation * deviation / static_cast<double>(values.size());
}

Difference welch(const Values& a, const Values& b) {
  const double va = squared_error(a);
  const double vb = squared_error(b);
  const double na = static_cast<double>(a.size()) - 1;
  const double nb = static_cast<double>(b.size()) - 1;
  double degrees = std::max(1.0, na + nb);
  if (va + vb > 0 && na > 0 && nb > 0) {
    degrees = (va + vb) * (va + vb) / (va * va / na + vb * vb / nb);
  }
  return {mean(b) - mean(a), std::sqrt(va + vb), degrees};
}

Difference of_pairs(const Values& a, const Values& b) {
  Values differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(b[i] - a[i]);
  return {mean(differences), std::sqrt(squared_error(differences)),
          std::max(1.0, static_cast<double>(a.size()) - 1), clear_of_zero(differences)};
}

double student_p(const Difference& d) {
  if (d.error == 0) return d.mean == 0 ? 1 : 0;
  return 2 * student_t_probability(-std::abs(d.mean) / d.error, d.degrees);
}

Interval as_ratio(const Interval& log, double ratio) {
  // The ratio of the medians is not the centre of the interval; it never lies outside.
  return {std::min(std::exp(log.low), ratio), std::max(std::exp(log.high), ratio)};
}

bool ruled_out_chance(bool paired, const RankShift& shift) {
  return shift.smallest_p() <= (paired ? kExactLevelOfPairs : kExactLevel);
}

double combined_p(bool paired, const RankShift& shift, const Difference& d) {
  const double exact = shift.p();
  const bool apart = exact == shift.smallest_p();
  return apart && d.clear && ruled_out_chance(paired, shift) ? std::min(exact, student_p(d))
                                                             : exact;
}

// The differences of the pairs know nothing of the noise but their own few values. The two sides,
// each as a whole, know twice as much where pairs share little, and nothing where they share much.
// Both are asked, each for its part of the error rate.
double p_of_pairs(const Values& a, const Values& b, const RankShift& pairs) {
  const double of_differences = combined_p(true, pairs, of_pairs(a, b));
  const double of_sides = combined_p(false, RankShift::unpaired(a, b), welch(a, b));
  return std::min({1.0, of_differences / kShareOfPairs, of_sides / (1 - kShareOfPairs)});
}

Evidence weigh(std::span<const double> baseline, std::span<const double> candidate, bool paired,
               RankShift shift, const Difference& d, double p) {
  Evidence e{.paired = paired,
             .baseline_count = std::ssize(baseline),
             .candidate_count = std::ssize(candidate),
             .baseline = median(baseline),
             .candidate = median(candidate),
             .ratio = median(candidate) / median(baseline),
             .interval = {},
             .p = p,
             .error = d.error,
             .degrees = d.degrees,
             .drift = 0,
             .drift_explains = false,
             .shift = std::move(shift),
             .baseline_values = {baseline.begin(), baseline.end()},
             .candidate_values = {candidate.begin(), candidate.end()}};
  e.interval = e.interval_at(0.05);
  // Half the rank interval over Student's quantile: an outlier does not move it.
  if (const auto log = e.shift.interval(0.05)) {
    e.error = (log->high - log->low) / 2 / student_t_quantile(0.975, e.degrees);
  }
  return e;
}

void look_for_drift(Evidence& e, const Values& baseline, const Values& candidate) {
  const double squares = squared_positions(baseline.size()) + squared_positions(candidate.size());
  if (squares == 0) return;
  const auto a = static_cast<double>(baseline.size());
  const auto b = static_cast<double>(candidate.size());
  const double replicate_error = e.error / std::sqrt(1 / a + 1 / b);
  const double change = e.shift.estimate();
  e.drift = common_slope(std::array{baseline, candidate});
  const double allowed = kDriftQuantile * replicate_error / std::sqrt(squares);
  const double steepest = e.drift + (change > 0 ? allowed : -allowed);
  e.drift_explains = change != 0 && steepest * (a + b) / 2 / change >= 1;
}

}  // namespace

std::optional<Interval> Evidence::interval_at(double level) const {
  if (const auto log = shift.interval(level)) return as_ratio(*log, ratio);
  if (!ruled_out_chance(paired, shift)) return std::nullopt;
  // Beyond the reach of ranks: Student's interval, and no narrower than all differences.
  const double half = error * student_t_quantile(1 - level / 2, degrees);
  const Interval all = *shift.interval(shift.smallest_p());
  const double centre = shift.estimate();
  return as_ratio({std::min(all.low, centre - half), std::max(all.high, centre + half)}, ratio);
}

Evidence compare_unpaired(std::span<const double> baseline, std::span<const double> candidate) {
  const Values a = logarithms(baseline);
  const Values b = logarithms(candidate);
  RankShift shift = RankShift::unpaired(a, b);
  const Difference d = welch(a, b);
  const double p = combined_p(false, shift, d);
  Evidence e = weigh(baseline, candidate, false, std::move(shift), d, p);
  look_for_drift(e, a, b);
  return e;
}

Evidence compare_paired(std::span<const double> baseline, std::span<const double> candidate) {
  const Values a = logarithms(baseline);
  const Values b = logarithms(candidate);
  RankShift shift = RankShift::paired(a, b);
  const double p = p_of_pairs(a, b, shift);
  return weigh(baseline, candidate, true, std::move(shift), of_pairs(a, b), p);
}

Evidence without_drift(const Evidence& e, double slope) {
  Values baseline = e.baseline_values;
  Values candidate = e.candidate_values;
  double position = 0;
  for (double& value : baseline) value *= std::exp(-slope * position++);
  for (double& value : candidate) value *= std::exp(-slope * position++);
  return compare_unpaired(baseline, candidate);
}

}  // namespace bench
