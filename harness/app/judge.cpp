#include "harness/app/judge.h"

#include <algorithm>
#include <map>

#include "dashboards/row_text.h"
#include "harness/format.h"

namespace bench {
namespace {

// A gate that judged no case is no pass.
bool covers(const Comparison& comparison, const Gate& gate) {
  return std::ranges::any_of(comparison.rows, [&](const Row& row) {
    return row.workload == gate.workload && row.metric == gate.metric &&
           row.relative_to == gate.relative_to;
  });
}

// Why a case of the plan was left out on purpose; empty: it was not.
std::string left_out(const RunRecord& run, const PlannedCase& planned) {
  if (!planned.skip.empty()) return planned.skip;
  const std::string id = case_id(planned.what);
  const auto measured = std::ranges::find_if(run.measurements, [&](const Measurement& m) {
    return m.workload == planned.workload && case_id(m.what) == id;
  });
  const bool skipped = measured != run.measurements.end() && measured->status == Status::skipped;
  return skipped ? measured->reason : std::string();
}

Uncovered uncovered(const Gate& gate, const RunRecord& run) {
  std::string meant;
  bool has_cases = false;
  for (const PlannedCase& planned : run.plan) {
    if (planned.workload != gate.workload || planned.what.variant == gate.relative_to) continue;
    const std::string why = left_out(run, planned);
    if (why.empty()) return {gate, "none of its cases is one that is judged", false};
    if (!has_cases) meant = why;
    has_cases = true;
  }
  if (!has_cases) return {gate, "no case of it is in the run", false};
  return {gate, "skipped: " + meant, true};
}

// `all`: the series of the gate's metric, one a planned case.
void find_worsened(const RunRecord& candidate, const Gate& gate, std::int64_t baseline,
                   const std::vector<HistorySeries>& all, std::vector<Worsened>& found) {
  for (std::size_t i = 0; i < candidate.plan.size(); ++i) {
    const PlannedCase& planned = candidate.plan[i];
    const auto series = judged_series(candidate, gate, i, all);
    if (!series) continue;
    const auto change = worsened_since(*series, changes_of(*series), baseline,
                                       find_metric(gate.metric)->better, gate.min_effect);
    if (!change) continue;
    const bool drift = change->change.is_drift();
    const std::int64_t from = series->points[change->change.begin].run;
    found.push_back(
        {.planned = planned,
         .metric = gate.metric,
         .relative_to = gate.relative_to,
         .ratio = change->ratio,
         .drift = drift,
         .from = from,
         .words = format("regressed over the runs: {}, {}, {} {}{}: {} since run {}, a {} from "
                         "run {} on",
                         gate.workload, planned.label, planned.what.variant, gate.metric,
                         relative_text(gate.relative_to), ratio_text(change->ratio), baseline,
                         drift ? "drift" : "step", from)});
  }
}

}  // namespace

std::vector<Asked> asked_by(const std::vector<Gate>& gates) {
  std::vector<Asked> asked;
  asked.reserve(gates.size());
  for (const Gate& gate : gates) {
    asked.push_back({gate.workload, gate.metric, gate.min_effect, gate.relative_to});
  }
  return asked;
}

std::string uncovered_gate(const Uncovered& uncovered) {
  const Gate& gate = uncovered.gate;
  return format("the gate on {} of {} judged no case", gate.metric, gate.workload);
}

std::string uncovered_text(const Uncovered& uncovered) {
  return format("{}: {}", uncovered_gate(uncovered), uncovered.reason);
}

std::vector<Uncovered> uncovered_by(const std::vector<Gate>& gates, const Comparison& comparison,
                                    const RunRecord& run) {
  std::vector<Uncovered> found;
  if (!comparison.refused.empty()) return found;
  for (const Gate& gate : gates) {
    if (!covers(comparison, gate)) found.push_back(uncovered(gate, run));
  }
  return found;
}

std::optional<HistorySeries> judged_series(const RunRecord& run, const Gate& gate, std::size_t at,
                                           const std::vector<HistorySeries>& all) {
  const PlannedCase& planned = run.plan[at];
  if (planned.workload != gate.workload) return std::nullopt;
  if (gate.relative_to.empty()) return all.at(at);
  if (planned.what.variant == gate.relative_to) return std::nullopt;
  Case control = planned.what;
  control.variant = gate.relative_to;
  const std::string id = case_id(control);
  for (std::size_t i = 0; i < run.plan.size(); ++i) {
    const PlannedCase& other = run.plan[i];
    if (other.workload != gate.workload || other.what.variant != control.variant) continue;
    if (case_id(other.what) != id) continue;
    return relative_series(all.at(at), all.at(i));
  }
  return std::nullopt;
}

Exit Judgement::exit() const {
  if (!worsened.empty()) return Exit::regression;
  const Exit compared = comparison.exit(true);
  return compared == Exit::ok && !uncovered.empty() ? Exit::unjudged : compared;
}

Comparison compare_by(const std::vector<Gate>& gates, const RunRecord& baseline,
                      const RunRecord& candidate, bool across_machines, std::size_t family) {
  CompareOptions options;
  options.across_machines = across_machines;
  options.family = family;
  options.asked = asked_by(gates);
  return compare(baseline, candidate, options);
}

Judgement judge_run(Store& store, const RunRecord& candidate, const std::vector<Gate>& gates,
                    std::int64_t baseline, bool across_machines) {
  Judgement judgement{.comparison = compare_by(gates, load_run(store, baseline, LoadSamples::no),
                                               candidate, across_machines),
                      .uncovered = {},
                      .worsened = {}};
  std::map<std::string, std::vector<HistorySeries>> series;  // by metric
  for (const Gate& gate : gates) {
    const auto [all, is_new] = series.try_emplace(gate.metric);
    if (is_new) {
      all->second =
          series_of_plan(store, candidate.info.number, gate.metric, candidate.info.number);
    }
    find_worsened(candidate, gate, baseline, all->second, judgement.worsened);
  }
  judgement.uncovered = uncovered_by(gates, judgement.comparison, candidate);
  return judgement;
}

std::optional<std::int64_t> pinned_for(Store& store, const RunInfo& candidate) {
  std::optional<std::int64_t> found;
  for (const Baseline& baseline : list_baselines(store)) {
    if (baseline.configuration != candidate.name) continue;
    if (baseline.host == candidate.host) return baseline.run;
    found = baseline.run;
  }
  return found;
}

std::optional<std::int64_t> previous_of(Store& store, const RunInfo& candidate) {
  for (const RunLine& line : list_runs(store)) {  // newest first
    const RunInfo& run = line.info;
    if (run.name == candidate.name && run.host == candidate.host &&
        run.status == RunStatus::complete && run.fingerprint == candidate.fingerprint &&
        run.number != candidate.number && run.started_unix_s <= candidate.started_unix_s) {
      return run.number;
    }
  }
  return std::nullopt;
}

}  // namespace bench
