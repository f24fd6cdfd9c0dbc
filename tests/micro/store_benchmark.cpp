// The store's own cost: storing a measurement, listing many runs, loading a large one, a history.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <string>

#include "results/merge.h"
#include "results/query.h"
#include "results/store.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

struct Size {
  int runs;
  int cases;
  int replicates;
  int samples;
};

Measurement measurement_of(const PlannedCase& planned, std::int64_t replicate, int samples) {
  Measurement m = sample_measurement(planned, replicate, samples);
  m.stages = {{"append", 1e-5, 1e6},
              {"plan", 2e-5, 1e6},
              {"gather", 3e-4, 1e9},
              {"cast", 6e-2, 6e10},
              {"attention", 1e-2, 1e7}};
  m.metrics = {{"tpot_s", 0.0956},
               {"tokens_per_s", 10.46},
               {"moved_bytes", 6.7e10},
               {"bytes_per_s", 1e12},
               {"tpot_p99_s", 0.1}};
  return m;
}

RunRecord run_of(const Size& size, double started) {
  RunRecord run = sample_run(size.cases / 2, size.replicates);
  run.info.started_unix_s = started;
  run.info.status = RunStatus::complete;
  for (const auto& planned : run.plan) {
    for (int r = 0; r < size.replicates; ++r)
      run.measurements.push_back(measurement_of(planned, r, size.samples));
  }
  return run;
}

// A database of that size; made once for all benchmarks that ask for it, not synced.
class Filled {
 public:
  explicit Filled(const Size& size) {
    Store store(path(), Access::write);
    store.database().execute("PRAGMA synchronous = OFF");
    for (int i = 0; i < size.runs; ++i) store.add(run_of(size, 1.7e9 + 86400.0 * i));
  }
  [[nodiscard]] std::string path() const { return folder_.file("bench.db"); }

 private:
  ScratchFolder folder_;
};

const Filled& many_runs() {
  static const Filled kFilled({1000, 100, 3, 10});
  return kFilled;
}

const Filled& large_run() {
  static const Filled kFilled({1, 1000, 8, 1000});
  return kFilled;
}

const Filled& year_of_nights() {
  static const Filled kFilled({365, 10, 8, 10});
  return kFilled;
}

// Argument 1: as shipped, on disk when the call returns. 0: without waiting for the disk, so that
// the difference is what durability costs.
void insert(benchmark::State& state) {
  const ScratchFolder folder;
  Store store(folder.file("bench.db"), Access::write);
  if (state.range(0) == 0) store.database().execute("PRAGMA synchronous = OFF");
  const RunRecord run = sample_run(1, 1'000'000);
  const std::int64_t number = store.add(run);
  std::int64_t replicate = 0;
  for (auto _ : state) store.add(number, measurement_of(run.plan[0], replicate++, 100));
  state.SetItemsProcessed(state.iterations());
}
// A fixed count: on a slow disk a durable insert takes tens of ms.
BENCHMARK(insert)
    ->ArgName("durable")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(300)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

// What `bench list` asks: 1,000 runs of 100 cases and 3 replicates, the file opened anew.
void list(benchmark::State& state) {
  const std::string path = many_runs().path();
  for (auto _ : state) {
    Store store(path, Access::read);
    if (list_runs(store).size() != 1000) state.SkipWithError("runs are missing");
  }
}
BENCHMARK(list)->Unit(benchmark::kMillisecond)->UseRealTime();

// 1,000 cases x 8 replicates x 1,000 samples, with a clock for each sample. Argument: samples too.
void load(benchmark::State& state) {
  Store store(large_run().path(), Access::read);
  const LoadSamples samples = state.range(0) != 0 ? LoadSamples::yes : LoadSamples::no;
  for (auto _ : state) {
    if (load_run(store, 1, samples).measurements.size() != 8000)
      state.SkipWithError("measurements are missing");
  }
}
BENCHMARK(load)->ArgName("samples")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

// One case over 365 nights of 8 replicates.
void case_history(benchmark::State& state) {
  Store store(year_of_nights().path(), Access::read);
  const std::string id = find_cases(store, "").at(0).id;
  for (auto _ : state) {
    if (history(store, id, "tpot_s").size() != 365 * 8) state.SkipWithError("points are missing");
  }
}
BENCHMARK(case_history)->Unit(benchmark::kMillisecond)->UseRealTime();

// A second database of the same runs: everything is looked at, nothing is added.
void merge_again(benchmark::State& state) {
  const ScratchFolder folder;
  std::filesystem::copy_file(year_of_nights().path(), folder.file("bench.db"));
  Store store(folder.file("bench.db"), Access::write);
  for (auto _ : state) {
    if (merge(store, year_of_nights().path()).runs != 0) state.SkipWithError("a run was doubled");
  }
}
BENCHMARK(merge_again)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace bench

BENCHMARK_MAIN();
