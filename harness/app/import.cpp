// bench import: a run from a JSON file into the database.

#include "results/import.h"

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/format.h"

namespace bench {
namespace {

Exit run_import(const Arguments& arguments) {
  const std::string file = *arguments.positional(0);
  const RunRecord run = read_run_file(file);  // all of it, before the database is touched
  const std::string db = arguments.get("db").value_or("");
  make_default_folder(db);
  Store store(database_path(db).string(), Access::write, "import");
  const std::int64_t number = add_or_complete(store, run);
  std::cout << format("run {}: {} of {}, {} cases, {} measurements\n", number, run.info.name,
                      run.info.host, run.plan.size(), run.measurements.size());
  return Exit::ok;
}

const Register<Command> kImportCommand{{
    .name = "import",
    .summary = "adds a run from JSON: of bench export, Google Benchmark or nvbench",
    .positionals = "FILE",
    .flags = {{"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"}},
    .example = "bench import nvbench.json",
    .run = run_import,
}};

}  // namespace
}  // namespace bench
