// bench baseline: which run each configuration is measured against. Only this command moves it.

#include <iostream>

#include "harness/app/baseline_fit.h"
#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/app/times.h"
#include "harness/error.h"
#include "harness/format.h"
#include "results/query.h"
#include "results/side.h"

namespace bench {
namespace {

std::string database(const Arguments& arguments) {
  return database_path(arguments.get("db").value_or("")).string();
}

Exit list_baselines(const Arguments& arguments) {
  Store store(database(arguments), Access::read);
  for (const Baseline& baseline : list_baselines(store)) {
    std::cout << format("{:<16}  run {:>5}  {}  {}\n", baseline.configuration, baseline.run,
                        utc_time(baseline.accepted_unix_s), baseline.notes);
  }
  return Exit::ok;
}

// False: some of its gates would never have an answer.
bool say_what_it_can_tell(const RunRecord& run) {
  BaselineFit fit;
  try {
    fit = fit_of(configuration_of(run.info), run);
  } catch (const Error& error) {
    std::cerr << format("warning: what its gates ask is not known: {}\n", error.what());
  }
  for (const Uncovered& gate : fit.left_out) {
    std::cerr << format("warning: {}; it has no answer while that is so\n", gate_text(gate));
  }
  if (fit.is_fit()) {
    const std::string why = disturbed(run);
    if (!why.empty()) std::cerr << format("warning: {}\n", why);
    return true;
  }
  std::cerr << format("run {} would leave {} without an answer:\n", run.info.number, fit.count());
  for (const GateAnswer& answer : fit.wanting) std::cerr << "  " << answer_text(answer) << '\n';
  for (const Uncovered& gate : fit.absent) std::cerr << "  " << gate_text(gate) << '\n';
  std::cerr << (fit.wanting.empty() ? "accept a run that measured them"
                                    : "accept a quieter run, or measure again with the replicates "
                                      "or the min_effect named")
            << "; --anyway accepts this one\n";
  return false;
}

Exit accept(const Arguments& arguments) {
  const auto name = arguments.positional(1);
  const std::string notes = arguments.get("notes").value_or("");
  if (!name) fail_usage("bench baseline accept: name the run");
  if (notes.empty()) fail_usage("bench baseline accept: say why with --notes");
  Store store(database(arguments), Access::write);
  const RunRecord run = load_run(store, resolve_run(store, *name), LoadSamples::no);
  if (!say_what_it_can_tell(run) && !arguments.has("anyway")) return Exit::unjudged;
  store.accept_baseline(run.info.number, notes);
  std::cout << format("run {} is the baseline of {}\n", run.info.number, run.info.name);
  return Exit::ok;
}

Exit run_baseline(const Arguments& arguments) {
  const auto word = arguments.positional(0);
  if (!word) return list_baselines(arguments);
  if (*word == "accept") return accept(arguments);
  fail_usage(format("bench baseline: unknown word '{}' (write: bench baseline accept RUN)", *word));
}

const Register<Command> kBaselineCommand{{
    .name = "baseline",
    .summary = "lists the pinned baselines, or accepts a run as the baseline of its configuration",
    .positionals = "[accept] [RUN]",
    .flags =
        {
            {"notes", "WHY", "why this run is what later ones should match; required to accept"},
            {"anyway", "", "accept a run that leaves gates without an answer"},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench baseline accept latest --notes 'after the fused cast'",
    .run = run_baseline,
}};

}  // namespace
}  // namespace bench
