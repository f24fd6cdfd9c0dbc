// bench baseline: which run each configuration is measured against. Only this command moves it.

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/app/times.h"
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

Exit accept(const Arguments& arguments) {
  const auto name = arguments.positional(1);
  const std::string notes = arguments.get("notes").value_or("");
  if (!name) fail_usage("bench baseline accept: name the run");
  if (notes.empty()) fail_usage("bench baseline accept: say why with --notes");
  Store store(database(arguments), Access::write);
  const std::int64_t run = resolve_run(store, *name);
  const std::string why = disturbed(load_run(store, run, LoadSamples::no));
  if (!why.empty())
    std::cerr << format("warning: {}: nothing can be judged by this run; measure it again\n", why);
  store.accept_baseline(run, notes);
  std::cout << format("run {} is the baseline of {}\n", run, load_info(store, run).name);
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
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench baseline accept latest --notes 'after the fused cast'",
    .run = run_baseline,
}};

}  // namespace
}  // namespace bench
