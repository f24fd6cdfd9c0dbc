#include <filesystem>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/app/report_of.h"
#include "harness/format.h"
#include "results/query.h"

namespace bench {
namespace {

Exit report(const Arguments& arguments) {
  const std::filesystem::path database = database_path(arguments.get("db").value_or(""));
  Store store(database.string(), Access::read);
  const std::int64_t number = resolve_run(store, arguments.positional(0).value_or("latest"));
  const RunRecord run = load_run(store, number, LoadSamples::yes);
  const std::string file = arguments.get("out").value_or(
      (database.parent_path() / format("{}-{}.html", run.info.name, number)).string());
  write_file(file, report_html(report_of(run)));
  std::cout << file << '\n';
  return Exit::ok;
}

const Register<Command> kRegistered{{
    .name = "report",
    .summary = "writes the HTML report of a run and prints its name",
    .positionals = "[RUN]",
    .flags =
        {
            {"out", "FILE", "where to (else CONFIGURATION-RUN.html beside the database)"},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench report latest --out morning.html",
    .run = report,
}};

}  // namespace
}  // namespace bench
