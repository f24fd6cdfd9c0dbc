// bench prune: thins the raw samples of old runs.

#include "results/prune.h"

#include <algorithm>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/app/retention.h"
#include "harness/app/times.h"
#include "harness/format.h"
#include "workloads/plan.h"

namespace bench {
namespace {

PruneRule rule_of(const Arguments& arguments) {
  const auto age = arguments.seconds("older-than");
  const auto config = arguments.positional(0);
  if (config) {
    if (age) fail_usage("bench prune: --older-than, or the `keep:` of a CONFIG, not both");
    const auto rule =
        retention_of(load_plan(find_config(*config).string(), plan_options(arguments))).rule;
    if (!rule) fail_usage(format("bench prune: by its `keep:` everything of {} stays", *config));
    return *rule;
  }
  if (!age)
    fail_usage("bench prune: --older-than is needed, such as 30d, or a CONFIG with `keep:`");
  return {.older_than = *age, .keep_samples = arguments.count("keep-samples", 0).value_or(0)};
}

void print_plan(const PruneResult& planned) {
  constexpr std::size_t kShown = 40;
  for (std::size_t i = 0; i < std::min(kShown, planned.runs.size()); ++i) {
    const PrunedRun& run = planned.runs[i];
    std::cout << format("run {:>5}  {}  {:<16}  {} of {} measurements\n", run.run,
                        utc_time(run.started_unix_s), run.name,
                        run.forgotten ? "all" : format_bytes(run.bytes), run.measurements);
  }
  if (planned.runs.size() > kShown) {
    std::cout << format("and {} more runs\n", planned.runs.size() - kShown);
  }
  std::cout << format(
      "would thin {} measurements of {} runs and free {}; {} old runs stay whole "
      "(baselines, neighbours of changes)\n",
      planned.measurements, planned.runs.size(), format_bytes(static_cast<double>(planned.bytes)),
      planned.spared);
}

Exit run_prune(const Arguments& arguments) {
  const PruneRule rule = rule_of(arguments);
  const std::string path = database_path(arguments.get("db").value_or("")).string();
  {
    Store exists(path, Access::read);  // a mistyped name makes no new database
    if (arguments.has("dry-run")) {
      print_plan(plan_prune(exists, rule));
      return Exit::ok;
    }
  }
  Store store(path, Access::write, "prune");
  const PruneResult pruned = prune(store, rule);
  std::cout << format("thinned {} measurements, {} freed\n", pruned.measurements,
                      format_bytes(static_cast<double>(pruned.bytes)));
  return Exit::ok;
}

const Register<Command> kPruneCommand{{
    .name = "prune",
    .summary =
        "thins the raw samples of old runs; metrics, baselines and neighbours of changes stay",
    .positionals = "[CONFIG]",
    .flags =
        {
            {"older-than", "TIME",
             "of runs that began longer ago than this; else by CONFIG's keep:"},
            {"keep-samples", "N", "of each measurement, evenly spaced; else none"},
            {"dry-run", "", "only show what would go and how much that frees"},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench prune --older-than 30d --keep-samples 100",
    .run = run_prune,
}};

}  // namespace
}  // namespace bench
