#include <iostream>

#include "dashboards/terminal.h"
#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/app/report_of.h"
#include "harness/app/show_as.h"
#include "harness/app/times.h"
#include "harness/format.h"
#include "results/query.h"
#include "runners/http/record_codec.h"

namespace bench {
namespace {

Exit show(const Arguments& arguments) {
  Store store(database_path(arguments.get("db").value_or("")).string(), Access::read);
  const std::int64_t number = resolve_run(store, arguments.positional(0).value_or("latest"));
  const auto client = arguments.get("as");
  const RunRecord run = load_run(store, number, client ? LoadSamples::yes : LoadSamples::no);
  std::cout << format("run {} ({}), {}, {} UTC on {}, {}\n", number, run.info.id.substr(0, 8),
                      run.info.name, utc_time(run.info.started_unix_s), run.info.host,
                      to_string(run.info.status));
  if (!run.info.notes.empty()) std::cout << "notes: " << run.info.notes << '\n';
  for (const DeviceRecord& device : run.devices) {
    std::cout << format("device: {}{}\n", device.name,
                        device.copy_bytes_per_s
                            ? format(", copies at {}", format_bandwidth(*device.copy_bytes_per_s))
                            : std::string());
  }
  const std::vector<Unfinished> cut_off = load_unfinished(store, number);
  if (client) {
    std::cout << show_as(run, cut_off, *client);
    return Exit::ok;
  }
  const RunReport report = report_of(run);
  TerminalOptions options = detect_terminal();
  options.detail = Detail::full;
  std::cout << '\n' << terminal_summary(summarize(report), options);
  for (const Unfinished& u : cut_off) {
    std::cout << format("{} {} replicate {} was cut off; {} requests of it are kept (--as bench)\n",
                        u.workload, u.label, u.replicate, decode_records(u.records).size());
  }
  return Exit::ok;
}

const Register<Command> kShowCommand{{
    .name = "show",
    .summary = "one run: its before/after table, stage by stage, and what failed",
    .positionals = "[RUN]",
    .flags = {{"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
              {"as", "CLIENT",
               "HTTP cases as another client counts: vllm, sglang, guidellm, aiperf, ..."}},
    .example = "bench show latest~1",
    .run = show,
}};

}  // namespace
}  // namespace bench
