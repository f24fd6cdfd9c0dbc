#include "results/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "results/side.h"

namespace bench {
namespace {

// The metrics asked of one workload.
std::vector<Asked> asked_of(const Match& match, const CompareOptions& options) {
  const Side& side = match.candidate != nullptr ? *match.candidate : *match.baseline;
  std::vector<Asked> asked;
  if (!options.workload.empty() && options.workload != match.workload) return asked;
  for (Asked a : options.asked.empty() ? main_metrics(case_of(side).runner) : options.asked) {
    if (!a.workload.empty() && a.workload != match.workload) continue;
    if (!a.min_effect) a.min_effect = options.min_effect;
    asked.push_back(std::move(a));
  }
  return asked;
}

std::vector<MeanRatio> means_of(const Comparison& comparison) {
  std::vector<MeanRatio> means;
  for (const Row& row : comparison.rows) {
    if (!row.evidence || row.verdict.word == Word::missing || row.verdict.word == Word::invalid) {
      continue;
    }
    const std::string variant = comparison.within_run ? row.what.variant : std::string();
    auto it = std::ranges::find_if(means, [&](const MeanRatio& mean) {
      return mean.metric == row.metric && mean.variant == variant;
    });
    if (it == means.end()) it = means.insert(means.end(), {row.metric, variant, 0, 0});
    it->ratio += std::log(row.evidence->ratio);
    ++it->cases;
  }
  for (MeanRatio& mean : means) mean.ratio = std::exp(mean.ratio / static_cast<double>(mean.cases));
  return means;
}

struct BothSides {
  const Sides& baseline;
  const Sides& candidate;
};

void fill(Comparison& comparison, const std::vector<Match>& matches, const BothSides& both,
          const CompareOptions& options) {
  for (Match match : matches) {
    for (const Asked& asked : asked_of(match, options)) {
      if (!asked.relative_to.empty()) {
        Case control = case_of(match.candidate != nullptr ? *match.candidate : *match.baseline);
        if (control.variant == asked.relative_to) continue;
        control.variant = asked.relative_to;
        const CaseKey key{match.workload, case_id(control)};
        match.baseline_control = both.baseline.find(key);
        match.candidate_control = both.candidate.find(key);
      }
      comparison.rows.push_back(make_row(match, asked, comparison.within_run));
    }
  }
  judge(comparison.rows, options.family);
  comparison.means = means_of(comparison);
}

// Cases in the order of the candidate's plan, then those that only the baseline has.
std::vector<Match> match_runs(const Sides& baseline, const Sides& candidate) {
  std::vector<CaseKey> keys = candidate.order;
  for (const CaseKey& key : baseline.order) {
    if (candidate.find(key) == nullptr) keys.push_back(key);
  }
  std::vector<Match> matches;
  for (const CaseKey& key : keys) {
    const Match match{key.first, baseline.find(key), candidate.find(key)};
    const auto nothing = [](const Side* side) { return side == nullptr || unsupported(*side); };
    if (!nothing(match.baseline) || !nothing(match.candidate)) matches.push_back(match);
  }
  return matches;
}

std::vector<Match> match_variants(const RunRecord& run, const Sides& sides) {
  std::map<std::string, std::string> baselines;  // variant, by workload
  for (const PlannedCase& planned : run.plan) {
    if (planned.is_baseline) baselines[planned.workload] = planned.what.variant;
  }
  std::vector<Match> matches;
  for (const CaseKey& key : sides.order) {
    const Side* candidate = sides.find(key);
    const auto baseline = baselines.find(key.first);
    Case before = case_of(*candidate);
    if (baseline == baselines.end() || before.variant == baseline->second) continue;
    before.variant = baseline->second;
    if (unsupported(*candidate)) continue;
    matches.push_back({key.first, sides.find({key.first, case_id(before)}), candidate});
  }
  return matches;
}

}  // namespace

std::int64_t Comparison::count(Word word) const {
  return std::ranges::count(rows, word, [](const Row& row) { return row.verdict.word; });
}

Exit Comparison::exit(bool strict) const {
  if (count(Word::regressed) > 0) return Exit::regression;
  const bool unjudged = !refused.empty() || rows.empty() || count(Word::missing) > 0 ||
                        count(Word::invalid) > 0 || (strict && count(Word::inconclusive) > 0);
  return unjudged ? Exit::unjudged : Exit::ok;
}

Comparison compare(const RunRecord& baseline, const RunRecord& candidate,
                   const CompareOptions& options) {
  const Sides before = sides_of(baseline);
  const Sides after = sides_of(candidate);
  return compare(SidedRun{baseline, before}, {candidate, after}, options);
}

Comparison compare(const SidedRun& baseline, const SidedRun& candidate,
                   const CompareOptions& options) {
  Comparison comparison;
  comparison.baseline = baseline.run.info;
  comparison.candidate = candidate.run.info;
  comparison.differences = differences(baseline.run.environment, candidate.run.environment);
  const std::string why = unfit(comparison.differences);
  (options.across_machines ? comparison.marked : comparison.refused) = why;
  if (!comparison.refused.empty()) return comparison;
  const BothSides both{baseline.sides, candidate.sides};
  fill(comparison, match_runs(both.baseline, both.candidate), both, options);
  return comparison;
}

Comparison compare_variants(const RunRecord& run, const CompareOptions& options) {
  Comparison comparison;
  comparison.within_run = true;
  comparison.baseline = run.info;
  comparison.candidate = run.info;
  const Sides sides = sides_of(run);
  fill(comparison, match_variants(run, sides), {sides, sides}, options);
  return comparison;
}

}  // namespace bench
