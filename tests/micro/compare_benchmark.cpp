// What a comparison of large runs and the history of a year cost, from the file to the words.

#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "results/comparison_export.h"
#include "results/history_series.h"
#include "results/query.h"
#include "results/store.h"
#include "tests/results/change_point_rates.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

constexpr int kReplicates = 8;

// A complete run whose step times are about `level` of the usual.
RunRecord night(int cases, int samples, double started, double level, std::mt19937_64& random) {
  std::normal_distribution<double> noise(level, kDeviation);
  RunRecord run = measured_run(cases / 2, kReplicates, samples);
  run.info.started_unix_s = started;
  run.info.status = RunStatus::complete;
  for (Measurement& m : run.measurements) m.metrics[0].value = 0.0956 * noise(random);
  return run;
}

class Filled {
 public:
  Filled(int cases, int samples, const std::vector<double>& levels) {
    Store store(path(), Access::write);
    store.database().execute("PRAGMA synchronous = OFF");
    std::mt19937_64 random(1);
    double started = 1.7e9;
    for (const double level : levels) {
      store.add(night(cases, samples, started += 86400, level, random));
    }
  }
  [[nodiscard]] std::string path() const { return folder_.file(); }

 private:
  TestFolder folder_;
};

// Two runs of 1,000 cases x 8 replicates x 1,000 samples, one stage of which changed.
void compare_two_runs(benchmark::State& state) {
  const Filled database(1000, 1000, {1, 1.03});
  for (auto _ : state) {
    Store store(database.path(), Access::read);
    const Comparison comparison =
        compare(load_run(store, 1, LoadSamples::no), load_run(store, 2, LoadSamples::no));
    if (comparison.count(Word::regressed) < 990) state.SkipWithError("the change was not found");
    benchmark::DoNotOptimize(comparison_json(comparison));
  }
}
BENCHMARK(compare_two_runs)->Unit(benchmark::kMillisecond)->UseRealTime();

// One case over 365 nights of ten cases: a step of three deviations, with all its statistics.
void history_of_a_year(benchmark::State& state) {
  std::mt19937_64 random(2);
  const Filled database(10, 10, simulate_series("step_3", 365, kDeviation, random).values);
  for (auto _ : state) {
    Store store(database.path(), Access::read);
    const std::string id = find_cases(store, "").at(0).id;
    const std::vector<HistorySeries> all = series_of(history(store, id, "tpot_s"));
    if (changes_of(all.at(0)).changes.empty()) state.SkipWithError("the step was not found");
  }
}
BENCHMARK(history_of_a_year)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace bench

BENCHMARK_MAIN();
