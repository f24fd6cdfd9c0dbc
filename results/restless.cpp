#include "results/restless.h"

#include <cmath>
#include <utility>

#include "harness/format.h"
#include "results/sample_size.h"

namespace bench {
namespace {

std::string too_few(std::int64_t count, std::size_t family) {
  return format("{} replicate{} tell too little: {} are asked of a baseline", count,
                count == 1 ? "" : "s", fewest_replicates(family));
}

// With which these replicates would do, in two digits; empty: no fraction would.
std::string min_effect_for(double tells) {
  const double unit = std::pow(10, std::floor(std::log10(tells)) - 1);
  const double enough = std::ceil(tells / unit) * unit;
  return enough < 1 ? format(", or min_effect: {:.2g}%", enough * 100) : std::string();
}

// Of the same spread; the interval shrinks with the root of their number.
std::string too_wide(double tells, double asked, std::int64_t count) {
  const double ratio = std::log1p(tells) / std::log1p(asked);
  const double needed = std::ceil(static_cast<double>(count) * ratio * ratio);
  const std::string words =
      format("can tell {:.2g} % at best, {:.2g} % is asked: ", tells * 100, asked * 100);
  return words +
         (needed <= kMostReplicates
              ? format("about {:.0f} replicates would", needed)
              : std::string("more replicates will not do, but a quieter machine")) +
         min_effect_for(tells);
}

bool resolves(const std::vector<double>& values, double asked, std::size_t family) {
  const auto tells = resolution(values, family);
  return !tells || *tells <= asked;  // too few are no noise
}

}  // namespace

std::vector<GateAnswer> answers(Comparison alone) {
  std::vector<GateAnswer> all;
  for (Row& own : alone.rows) {
    GateAnswer answer{.row = std::move(own), .tells = {}};
    const Row& row = answer.row;
    if (!row.baseline_disturbed.empty()) {
      answer.wanting = row.baseline_disturbed;
      answer.noise = true;
    } else if (row.evidence) {
      const double asked = row.question.min_effect;
      const std::int64_t count = row.evidence->baseline_count;
      answer.tells = resolution(row.evidence->baseline_values, alone.rows.size());
      answer.noise = answer.tells && *answer.tells > asked;
      if (!answer.tells) answer.wanting = too_few(count, alone.rows.size());
      if (answer.noise) answer.wanting = too_wide(*answer.tells, asked, count);
    } else {
      answer.wanting = row.verdict.reason;
    }
    all.push_back(std::move(answer));
  }
  return all;
}

Restless restless(const Row& row, std::size_t family) {
  if (!row.evidence) return Restless::none;
  const double asked = row.question.min_effect;
  const bool before =
      !row.baseline_disturbed.empty() || !resolves(row.evidence->baseline_values, asked, family);
  const bool after =
      !row.candidate_disturbed.empty() || !resolves(row.evidence->candidate_values, asked, family);
  if (before && after) return Restless::both;
  if (before) return Restless::baseline;
  return after ? Restless::candidate : Restless::none;
}

}  // namespace bench
