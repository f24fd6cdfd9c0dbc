// A simulated run of 1,024 ranks x 100 cases x 100 samples: storing it, and loading it and writing
// its page.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>

#include "dashboards/report.h"
#include "results/merge.h"
#include "results/query.h"
#include "results/store.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

constexpr int kRanks = 1024;
constexpr int kCases = 100;
constexpr int kSamples = 100;

Measurement measurement_of(const PlannedCase& planned, std::uint64_t seed) {
  Measurement m = sample_measurement(planned, 0, kSamples);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> jitter(0, 1e-5);
  m.rank_samples_s.resize(std::size_t{kRanks} * kSamples);
  for (double& seconds : m.rank_samples_s) seconds = 1e-3 + jitter(random);
  m.metrics = {{"tpot_s", 1e-3}, {"ranks", kRanks}, {"rank_skew", 0.01}};
  return m;
}

void store_run(const std::string& path) {
  Store store(path, Access::write);
  RunRecord run = sample_run(kCases / 2, 1);
  const std::vector<PlannedCase> plan = run.plan;
  const std::int64_t number = store.add(std::move(run));
  for (std::size_t i = 0; i < plan.size(); ++i) store.add(number, measurement_of(plan[i], i));
  store.end(number, RunStatus::complete);
}

// Each case its own transaction, on disk when it is done.
void store_thousand_ranks(benchmark::State& state) {
  for (auto _ : state) {
    const ScratchFolder folder;
    store_run(folder.file("bench.db"));
  }
}
BENCHMARK(store_thousand_ranks)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();

void report_thousand_ranks(benchmark::State& state) {
  const ScratchFolder folder;
  store_run(folder.file("bench.db"));
  std::string html;
  for (auto _ : state) {
    Store store(folder.file("bench.db"), Access::read);
    RunReport report;
    report.measurements = load_run(store, 1, LoadSamples::yes).measurements;
    html = report_html(report);
  }
  state.counters["page_bytes"] = static_cast<double>(html.size());
}
BENCHMARK(report_thousand_ranks)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace bench

BENCHMARK_MAIN();
