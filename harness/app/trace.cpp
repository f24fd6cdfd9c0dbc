// bench trace: from a profiler's trace to what a decode step spends its time on.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "dashboards/trace_page.h"
#include "dashboards/trace_summary.h"
#include "harness/app/command.h"
#include "harness/app/paths.h"
#include "harness/format.h"
#include "harness/units.h"
#include "results/import.h"
#include "results/trace/read_trace.h"
#include "results/trace/trace_export.h"
#include "results/trace/ways_out.h"
#include "workloads/models.h"

namespace bench {
namespace {

// What would be found out only after minutes of reading, or never.
void check_pairs_of_flags(const Arguments& arguments) {
  if (arguments.has("tag") && !arguments.has("store"))
    fail_usage("--tag names a stored run: add --store");
  if (arguments.has("model") && !arguments.has("workload"))
    fail_usage("--model is of a written configuration: add --workload FILE");
  if (const auto model = arguments.get("model"))
    load_preset(*model, {.source = "--model"}, model_folders(), ".");
}

// What each way out would give, by what the results database holds of such a device.
void add_ways_out(TraceAnalysis& a, const Arguments& arguments) {
  Ceiling ceiling = card_ceiling(a.peak_bytes_per_s);
  std::vector<MeasuredGather> measured;
  const std::filesystem::path database = database_path(arguments.get("db").value_or(""));
  if (!a.device_name.empty() && std::filesystem::exists(database)) {
    Store store(database.string(), Access::read);
    ceiling = measured_ceiling(store, a.device_name, a.peak_bytes_per_s);
    measured = measured_gathers(store, a.device_name);
  }
  for (Waste& waste : a.waste) waste.ways = ways_out(waste, ceiling, measured);
}

std::vector<TraceAnalysis> analyse_all(const Arguments& arguments) {
  const WasteOptions options{.active_tokens = arguments.count("active", 1).value_or(0),
                             .width = arguments.count("row", 1).value_or(0)};
  std::vector<TraceAnalysis> ranks;
  std::vector<std::string> refused;
  for (const std::string& file : trace_files(*arguments.positional(0))) {
    try {
      ranks.push_back(analyse(read_trace(file), options));
    } catch (const Error& error) {  // a rank that was killed, a server's arguments beside them
      if (error.exit() != Exit::usage) throw;
      refused.emplace_back(error.what());
    }
  }
  if (ranks.empty()) {
    const std::size_t others = refused.size() - 1;
    fail_usage(refused[0] + (others > 0 ? format("; nor can {} more be used", others) : ""));
  }
  for (const std::string& why : refused) std::cout << trace_left_out(why);
  std::ranges::stable_sort(ranks, {}, &TraceAnalysis::rank);
  return ranks;
}

void save(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) fail_usage(format("{} cannot be written: {}", path, std::strerror(errno)));
}

void store_run(const std::vector<TraceAnalysis>& ranks, const Arguments& arguments) {
  RunRecord run = trace_run(ranks);
  run.info.argv = arguments.text();
  run.info.tag = arguments.get("tag").value_or("");
  run.info.started_unix_s = unix_now();
  const std::string db = arguments.get("db").value_or("");
  make_default_folder(db);
  Store store(database_path(db).string(), Access::write, "trace");
  const std::int64_t number = add_or_complete(store, run);
  std::cout << format("stored as run {}: bench compare {} OTHER\n", number, number);
}

void write_workload(const TraceAnalysis& a, const Arguments& arguments) {
  const std::string file = *arguments.get("workload");
  save(file, trace_workload(a, arguments.get("model").value_or(likely_model(a.layers.count))));
  std::cout << format("{} reproduces it: bench run {}\n", file, file);
}

Exit run_trace(const Arguments& arguments) {
  check_pairs_of_flags(arguments);
  std::vector<TraceAnalysis> ranks = analyse_all(arguments);
  TraceAnalysis& slowest = *std::ranges::max_element(ranks, {}, &TraceAnalysis::step_s);
  add_ways_out(slowest, arguments);
  if (const auto file = arguments.get("json")) save(*file, trace_json(slowest));
  if (const auto file = arguments.get("html")) save(*file, trace_html(slowest));
  if (ranks.size() > 1) std::cout << trace_ranks(ranks);
  std::cout << trace_summary(slowest);
  if (arguments.has("kernels")) std::cout << trace_kernel_table(slowest);
  if (arguments.has("workload")) write_workload(slowest, arguments);
  if (arguments.has("store")) store_run(ranks, arguments);
  return Exit::ok;
}

const Register<Command> kTraceCommand{{
    .name = "trace",
    .summary = "what a profiler's trace says of a decode step, and whether it copies the KV pool",
    .positionals = "FILE",
    .flags = {{"kernels", "", "adds the table of all kernels of a step"},
              {"json", "FILE", "writes everything as JSON"},
              {"html", "FILE",
               "writes a page: one step as a timeline, categories, layers, kernels"},
              {"workload", "FILE",
               "writes a configuration that reproduces the waste with `bench run`"},
              {"model", "NAME", "its model preset (else by the number of layers)"},
              {"store", "", "stores it as a run, for `bench compare` with another trace"},
              {"tag", "NAME", "names the stored run"},
              {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
              {"active", "TOKENS",
               "tokens the step's requests refer to, where the trace does not show them"},
              {"row", "VALUES",
               "values of a pool row, where shapes were not recorded (else 576, 512, ...)"}},
    .example =
        "bench trace rank0.pt.trace.json.gz --kernels   (or an nsys .sqlite, or a folder of ranks)",
    .run = run_trace,
}};

}  // namespace
}  // namespace bench
