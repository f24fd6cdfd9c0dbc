// bench backup: a consistent copy of the results, while others may read and write.

#include <filesystem>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/format.h"
#include "harness/units.h"
#include "results/store.h"

namespace bench {
namespace {

Exit backup(const Arguments& arguments) {
  const std::string file = *arguments.positional(0);
  Store store(database_path(arguments.get("db").value_or("")).string(), Access::read);
  store.database().copy_to(file);
  Store copy(file, Access::read);  // a copy that cannot be read is none
  std::cout << format("{}: {} runs, {}\n", file,
                      copy.database().integer("SELECT count(*) FROM runs"),
                      format_bytes(static_cast<double>(std::filesystem::file_size(file))));
  return Exit::ok;
}

const Register<Command> kBackupCommand{{
    .name = "backup",
    .summary = "copies the results to a new file, as of one moment, while runs may go on",
    .positionals = "FILE",
    .flags = {{"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"}},
    .example = "bench backup /backup/bench-$(date +%F).db",
    .run = backup,
}};

}  // namespace
}  // namespace bench
