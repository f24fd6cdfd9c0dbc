// bench prune: thins the raw samples of old runs.

#include "results/prune.h"

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/format.h"

namespace bench {
namespace {

Exit run_prune(const Arguments& arguments) {
  const auto age = arguments.get("older-than");
  if (!age) fail_usage("bench prune: --older-than is needed, such as 30d");
  const PruneRule rule{.older_than = parse_seconds(*age),
                       .keep_samples = parse_count(arguments.get("keep-samples").value_or("0"))};
  const std::string path = database_path(arguments.get("db").value_or("")).string();
  { const Store exists(path, Access::read); }  // a mistyped name makes no new database
  Store store(path, Access::write, "prune");
  const PruneResult pruned = prune(store, rule);
  std::cout << format("thinned {} measurements, {} freed\n", pruned.measurements,
                      format_bytes(static_cast<double>(pruned.bytes)));
  return Exit::ok;
}

const Register<Command> kRegistered{{
    .name = "prune",
    .summary = "thins the raw samples of old runs; metrics and pinned baselines stay whole",
    .positionals = "",
    .flags =
        {
            {"older-than", "TIME", "of runs that began longer ago than this; required"},
            {"keep-samples", "N", "of each measurement, evenly spaced; else none"},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench prune --older-than 30d --keep-samples 100",
    .run = run_prune,
}};

}  // namespace
}  // namespace bench
