// bench gate: fails a nightly for a true regression and for nothing else.

#include <algorithm>
#include <iostream>

#include "dashboards/row_text.h"
#include "harness/app/command.h"
#include "harness/app/comparison_output.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/format.h"
#include "harness/units.h"
#include "results/history_series.h"
#include "workloads/plan.h"

namespace bench {
namespace {

// A run that is too old stands for one that never started.
void require_recent(const RunInfo& run, const Arguments& arguments) {
  const auto limit = arguments.get("max-age");
  if (!limit) return;
  const double age = unix_now() - run.started_unix_s;
  if (age <= parse_seconds(*limit).count()) return;
  fail(format("the newest run, {}, began {} ago: no run within {}", run.number,
              format_seconds(Seconds(age)), *limit));
}

std::int64_t previous_run(Store& store, const RunInfo& candidate) {
  for (const RunLine& line : list_runs(store)) {  // newest first
    const RunInfo& run = line.info;
    if (run.name == candidate.name && run.status == RunStatus::complete &&
        run.fingerprint == candidate.fingerprint && run.number != candidate.number &&
        run.started_unix_s <= candidate.started_unix_s) {
      return run.number;
    }
  }
  fail(format("no run of {} before run {} to compare with", candidate.name, candidate.number));
}

std::int64_t baseline_run(Store& store, const RunInfo& candidate, const std::string& name) {
  if (name == "previous") return previous_run(store, candidate);
  if (name != "pinned") return resolve_run(store, name, candidate.name);
  for (const Baseline& baseline : list_baselines(store)) {
    if (baseline.configuration == candidate.name) return baseline.run;
  }
  fail(format("no baseline is pinned for {}: bench baseline accept RUN --notes WHY",
              candidate.name));
}

CompareOptions options_of(const std::vector<Gate>& gates, const Arguments& arguments) {
  CompareOptions options;
  options.across_machines = arguments.has("across-machines");
  for (const Gate& gate : gates) {
    options.asked.push_back({gate.workload, gate.metric, gate.min_effect});
  }
  return options;
}

// A gate that judged no case is no pass.
bool covers(const Comparison& comparison, const Gate& gate) {
  return std::ranges::any_of(comparison.rows, [&](const Row& row) {
    return row.workload == gate.workload && row.metric == gate.metric;
  });
}

// Changes since the baseline that single nights do not show, a line each.
std::vector<std::string> find_drifts(Store& store, const RunRecord& candidate,
                                     const std::vector<Gate>& gates, std::int64_t baseline) {
  std::vector<std::string> lines;
  for (const Gate& gate : gates) {
    for (const PlannedCase& planned : candidate.plan) {
      if (planned.workload != gate.workload || !planned.skip.empty()) continue;
      const auto points = history(store, case_id(planned.what), gate.metric);
      for (const HistorySeries& series : series_of(points, candidate.info.number)) {
        if (series.workload != gate.workload) continue;
        const auto found = worsened_since(series, changes_of(series), baseline,
                                          find_metric(gate.metric)->better, gate.min_effect);
        if (!found) continue;
        lines.push_back(
            format("regressed over the runs: {}, {}, {} {}: {} since run {}, a {} from "
                   "run {} on",
                   gate.workload, planned.label, planned.what.variant, gate.metric,
                   ratio_text(found->ratio), baseline, found->change.is_drift() ? "drift" : "step",
                   series.points[found->change.begin].run));
      }
    }
  }
  return lines;
}

Exit run_gate(const Arguments& arguments) {
  check_format(arguments);
  Store store(database_path(arguments.get("db").value_or("")).string(), Access::read);
  const std::int64_t number = resolve_run(store, arguments.positional(0).value_or("latest"));
  const RunRecord candidate = load_run(store, number, LoadSamples::no);
  const Plan plan =
      parse_plan(candidate.info.plan_source, candidate.info.name, plan_options(arguments));
  if (plan.gates.empty()) fail_usage(format("the configuration {} has no gates:", plan.name));
  require_recent(candidate.info, arguments);
  const std::int64_t baseline =
      baseline_run(store, candidate.info, arguments.get("against").value_or("pinned"));
  if (baseline == number) {
    fail(format("run {} is the baseline itself: nothing newer was measured", number));
  }
  const Comparison comparison = compare(load_run(store, baseline, LoadSamples::no), candidate,
                                        options_of(plan.gates, arguments));
  write_comparison(comparison, arguments, true);
  Exit exit = comparison.exit(true);
  std::ostream& out = arguments.get("format").value_or("text") == "text" ? std::cout : std::cerr;
  for (const Gate& gate : plan.gates) {
    if (!comparison.refused.empty() || covers(comparison, gate)) continue;
    out << format("the gate on {} of {} judged no case\n", gate.metric, gate.workload);
    if (exit == Exit::ok) exit = Exit::unjudged;
  }
  for (const std::string& line : find_drifts(store, candidate, plan.gates, baseline)) {
    out << line << '\n';
    exit = Exit::regression;
  }
  return exit;
}

std::vector<Flag> flags() {
  std::vector<Flag> all{
      {"against", "RUN", "pinned (if left out), previous, or any run"},
      {"max-age", "TIME", "the run must have begun within this time: 26h"},
  };
  for (Flag& flag : comparison_flags()) all.push_back(std::move(flag));
  return all;
}

const Register<Command> kRegistered{{
    .name = "gate",
    .summary = "judges a run by the gates of its configuration: exit 0, 1 regression, 3 unjudged",
    .positionals = "[RUN]",
    .flags = flags(),
    .example = "bench gate latest --max-age 26h --format junit --output gate.xml",
    .run = run_gate,
}};

}  // namespace
}  // namespace bench
