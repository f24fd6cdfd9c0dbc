#include "results/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"
#include "results/machine_drift.h"
#include "results/sample_size.h"

namespace bench {
namespace {

std::string percent(double fraction) { return format("{:+.2f} %", fraction * 100); }

std::string range(const Interval& ratio) {
  return format("{} .. {}", percent(ratio.low - 1), percent(ratio.high - 1));
}

std::string family_text(std::size_t family) {
  return family == 1 ? "alone" : format("over {} comparisons", family);
}

bool inside(const Interval& ratio, double effect) {
  return ratio.low > 1 - effect && ratio.high < 1 + effect;
}

bool beyond(const Interval& ratio, double effect) {
  return ratio.low > 1 + effect || ratio.high < 1 - effect;
}

// The evidence without the drift of the machine, of cases that do not cancel it as pairs.
std::optional<Evidence> steadied(const Judged& judged, double drift) {
  if (drift == 0 || judged.evidence.paired) return std::nullopt;
  const bool lower = judged.question.better == Better::lower;
  return without_drift(judged.evidence, lower ? drift : -drift);
}

// Holm's level for each interval: that of the step at which the case was rejected, or of the step
// at which the procedure stopped.
std::vector<double> holm_levels(std::span<const double> corrected, double level) {
  const auto family = static_cast<double>(corrected.size());
  std::vector<double> sorted(corrected.begin(), corrected.end());
  std::ranges::sort(sorted);
  const auto rejected = std::ranges::upper_bound(sorted, level) - sorted.begin();
  std::vector<double> levels;
  for (const double p : corrected) {
    const auto before = std::ranges::lower_bound(sorted, p) - sorted.begin();
    const auto step = std::min<double>(static_cast<double>(std::min(before, rejected)), family - 1);
    levels.push_back(level / (family - step));
  }
  return levels;
}

// What a verdict depends on beside the data.
struct Terms {
  std::optional<Interval> interval;  // of the ratio, at the level of the verdict
  double effect;                     // the smallest of interest
  double p;                          // corrected
  double alarm;                      // what p must not exceed
  std::size_t family;
  bool drift_explains;  // its own, or that of the machine
  double drift;         // the one meant, log ratio a replicate
};

std::string why_inconclusive(const Evidence& e, const Terms& terms) {
  if (!terms.interval) {
    const std::int64_t count = std::min(e.baseline_count, e.candidate_count);
    if (count == 1) return "one replicate allows no 95 % interval";
    return format("{} {} allow no 95 % interval", count,
                  e.paired ? "paired replicates" : "replicates a side");
  }
  if (!beyond(*terms.interval, terms.effect)) {
    return format("{} reaches across {:.3g} %", range(*terms.interval), terms.effect * 100);
  }
  if (terms.drift_explains) {
    return format("a drift, of {} a replicate in both sides, may explain it: interleave them",
                  percent(std::expm1(terms.drift)));
  }
  return format("p {:.2g} {}, {:.2g} is needed", terms.p, family_text(terms.family), terms.alarm);
}

void find_word(Verdict& verdict, const Judged& judged, const Terms& terms) {
  const Evidence& e = judged.evidence;
  const double effect = terms.effect;
  if (terms.interval && inside(*terms.interval, effect)) {
    verdict.word = Word::unchanged;
    verdict.reason = format("{} lies within {:.3g} %", range(*terms.interval), effect * 100);
  } else if (terms.interval && beyond(*terms.interval, effect) && terms.p <= terms.alarm &&
             !terms.drift_explains) {
    const bool better = (e.ratio < 1) == (judged.question.better == Better::lower);
    verdict.word = better ? Word::improved : Word::regressed;
    verdict.reason = format("{} lies beyond {:.3g} %, p {:.2g} {}", range(*terms.interval),
                            effect * 100, terms.p, family_text(terms.family));
  } else {
    verdict.word = Word::inconclusive;
    verdict.reason = why_inconclusive(e, terms);
    verdict.replicates_needed = replicates_needed(e, effect, terms.family);
  }
}

// Without the drift no change is left, or one the other way.
bool explained_away(const Evidence& e, const Evidence& steady, double effect, double level) {
  const auto interval = steady.interval_at(level);
  return !interval || !beyond(*interval, effect) || (steady.ratio < 1) != (e.ratio < 1);
}

}  // namespace

std::string_view to_string(Word word) {
  constexpr std::array<std::string_view, 6> kWords{"improved",     "regressed", "unchanged",
                                                   "inconclusive", "missing",   "invalid"};
  return kWords.at(static_cast<std::size_t>(word));
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double largest = 0;
  for (std::size_t step = 0; step < order.size(); ++step) {
    const double factor = static_cast<double>(order.size() - step);
    largest = std::max(largest, std::min(1.0, factor * p[order[step]]));
    corrected[order[step]] = largest;
  }
  return corrected;
}

std::vector<Verdict> judge(std::span<const Judged> family, double share, std::size_t size) {
  constexpr double kInterval = 0.05;
  const double drift = machine_drift(family);
  std::vector<std::optional<Evidence>> steady;
  std::vector<double> p;
  for (const Judged& judged : family) {
    steady.push_back(steadied(judged, drift));
    p.push_back(std::max(judged.evidence.p, steady.back() ? steady.back()->p : 0));
  }
  p.resize(std::max(size, family.size()), 1);
  const std::vector<double> corrected = holm(p);
  const std::vector<double> levels = holm_levels(corrected, kInterval * share);
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < family.size(); ++i) {
    const Evidence& e = family[i].evidence;
    const double effect = family[i].question.min_effect;
    const bool moved = steady[i] && explained_away(e, *steady[i], effect, kInterval * share);
    const Terms terms{.interval = share == 1 ? e.interval : e.interval_at(kInterval * share),
                      .effect = effect,
                      .p = corrected[i],
                      .alarm = kAlarm * share,
                      .family = p.size(),
                      .drift_explains = e.drift_explains || moved,
                      .drift = moved ? drift : e.drift};
    Verdict verdict{.word = Word::inconclusive, .reason = {}, .p = corrected[i]};
    verdict.adjusted = e.interval_at(levels[i]);
    verdict.detectable = detectable_effect(e, terms.effect, p.size());
    find_word(verdict, family[i], terms);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace bench
