// bench merge: the results of another host into this database.

#include "results/merge.h"

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/format.h"

namespace bench {
namespace {

Exit run_merge(const Arguments& arguments) {
  const std::string db = arguments.get("db").value_or("");
  make_default_folder(db);
  Store store(database_path(db).string(), Access::write, "merge");
  const MergeResult added = merge(store, *arguments.positional(0));
  std::cout << format("added {} runs and {} measurements\n", added.runs, added.measurements);
  return Exit::ok;
}

const Register<Command> kMergeCommand{{
    .name = "merge",
    .summary = "adds what another host's database has and this one lacks; twice is once",
    .positionals = "DATABASE",
    .flags = {{"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"}},
    .example = "bench merge gpu-box-2/bench.db --db results/bench.db",
    .run = run_merge,
}};

}  // namespace
}  // namespace bench
