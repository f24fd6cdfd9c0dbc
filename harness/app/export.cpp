// bench export: a run of the database as JSON.

#include "results/export.h"

#include <iostream>
#include <sstream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/app/report_of.h"
#include "results/query.h"

namespace bench {
namespace {

Exit run_export(const Arguments& arguments) {
  Store store(database_path(arguments.get("db").value_or("")).string(), Access::read);
  const std::int64_t number = resolve_run(store, arguments.positional(0).value_or("latest"));
  const RunRecord run =
      load_run(store, number, arguments.has("no-samples") ? LoadSamples::no : LoadSamples::yes);
  const auto file = arguments.get("output");
  if (!file) {
    export_run(std::cout, run);
    return Exit::ok;
  }
  std::ostringstream text;
  export_run(text, run);
  write_file(*file, text.str());
  return Exit::ok;
}

const Register<Command> kExportCommand{{
    .name = "export",
    .summary = "a run as JSON, all of it; bench import reads it back",
    .positionals = "[RUN]",
    .flags =
        {
            {"output", "FILE", "write there instead of to standard output"},
            {"no-samples", "", "leave the raw samples out"},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench export latest --output run.json",
    .run = run_export,
}};

}  // namespace
}  // namespace bench
