#pragma once

#include <string>
#include <string_view>

#include "results/run.h"
#include "results/store.h"

namespace bench {

// The run in a JSON file: an export of bench, Google Benchmark's --benchmark_out, or nvbench's
// --json (with the samples of --jsonbin where they lie beside it). Throws Error (exit 2) that names
// the file, the place and what is wrong. The same bytes always give the same run id.
RunRecord read_run_file(const std::string& path);

// Repetitions become replicates; the counters, metrics. Benchmarks that failed keep their message.
RunRecord from_google_benchmark(std::string_view text, const std::string& path);
RunRecord from_nvbench(std::string_view text, const std::string& path);

// Stores the run unless it is there already; of one that is, only what is missing. Says its number.
std::int64_t add_or_complete(Store& store, const RunRecord& run);

}  // namespace bench
