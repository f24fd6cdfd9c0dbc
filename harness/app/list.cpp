#include <iostream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/app/times.h"
#include "harness/format.h"
#include "results/query.h"

namespace bench {
namespace {

std::string state(const RunLine& run) {
  std::string text(to_string(run.info.status));
  if (run.failed > 0) text += format(", {} failed", run.failed);
  if (run.measured < run.expected)
    text += format(", {} of {} measured", run.measured, run.expected);
  if (run.pinned) text += ", pinned";
  return text;
}

Exit list_cases(const Arguments& arguments) {
  Store store(database_path(arguments.get("db").value_or("")).string(), Access::read);
  std::cout << format("{:>5}  {:<8}  {:<20}  {:<16}  {:<12}  {:>5}  {}\n", "run", "id",
                      "started (UTC)", "configuration", "tag", "cases", "state");
  for (const RunLine& run : list_runs(store)) {
    std::cout << format("{:>5}  {:<8}  {:<20}  {:<16}  {:<12}  {:>5}  {}\n", run.info.number,
                        run.info.id.substr(0, 8), utc_time(run.info.started_unix_s), run.info.name,
                        run.info.tag, run.cases, state(run));
  }
  return Exit::ok;
}

const Register<Command> kListCommand{{
    .name = "list",
    .summary = "the runs of the database, newest first",
    .positionals = "",
    .flags = {{"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"}},
    .example = "bench list --db results/bench.db",
    .run = list_cases,
}};

}  // namespace
}  // namespace bench
