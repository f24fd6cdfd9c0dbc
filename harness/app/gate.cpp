// bench gate: fails a nightly for a true regression and for nothing else.

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/comparison_output.h"
#include "harness/app/judge.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

// A run that is too old stands for one that never started.
void require_recent(const RunInfo& run, const Arguments& arguments) {
  const auto limit = arguments.seconds("max-age");
  if (!limit) return;
  const double age = unix_now() - run.started_unix_s;
  if (age <= limit->count()) return;
  fail(format("the newest run, {}, began {} ago: no run within {}", run.number,
              format_seconds(Seconds(age)), *arguments.get("max-age")));
}

std::int64_t baseline_run(Store& store, const RunInfo& candidate, const std::string& name) {
  if (name == "previous") {
    if (const auto run = previous_of(store, candidate)) return *run;
    fail(format("no run of {} before run {} to compare with", candidate.name, candidate.number));
  }
  if (name != "pinned") return resolve_run(store, name, candidate.name);
  if (const auto run = pinned_for(store, candidate)) return *run;
  fail(format("no baseline is pinned for {}: bench baseline accept RUN --notes WHY",
              candidate.name));
}

Exit run_gate(const Arguments& arguments) {
  check_format(arguments);
  Store store(database_path(arguments.get("db").value_or("")).string(), Access::read);
  const std::int64_t number = resolve_run(store, arguments.positional(0).value_or("latest"));
  const RunRecord candidate = load_run(store, number, LoadSamples::no);
  const std::vector<Gate> gates = gates_of(candidate.info);
  if (gates.empty()) fail_usage(format("the configuration {} has no gates:", candidate.info.name));
  require_recent(candidate.info, arguments);
  const std::int64_t baseline =
      baseline_run(store, candidate.info, arguments.get("against").value_or("pinned"));
  if (baseline == number) {
    fail(format("run {} is the baseline itself: nothing newer was measured", number));
  }
  const Judgement judgement =
      judge_run(store, candidate, gates, baseline, arguments.has("across-machines"));
  write_comparison(judgement.comparison, arguments, true);
  std::ostream& out = arguments.get("format").value_or("text") == "text" ? std::cout : std::cerr;
  for (const Uncovered& gate : judgement.uncovered) out << uncovered_text(gate) << '\n';
  for (const Worsened& worsened : judgement.worsened) out << worsened.words << '\n';
  return judgement.exit();
}

std::vector<Flag> gate_flags() {
  std::vector<Flag> all{
      {"against", "RUN", "pinned (if left out), previous, or any run"},
      {"max-age", "TIME", "the run must have begun within this time: 26h"},
  };
  for (Flag& flag : comparison_flags()) all.push_back(std::move(flag));
  return all;
}

const Register<Command> kGateCommand{{
    .name = "gate",
    .summary = "judges a run by the gates of its configuration: exit 0, 1 regression, 3 unjudged",
    .positionals = "[RUN]",
    .flags = gate_flags(),
    .example = "bench gate latest --max-age 26h --format junit --output gate.xml",
    .run = run_gate,
}};

}  // namespace
}  // namespace bench
