// What change points cost, and how often they are right: each row's counters are shares of series.
//   micro_change_points                     the rows, 200 series each, and the cost of a year
//   micro_change_points --series            every simulated series and what was found in it, for
//                                           tests/compare_with_otava

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "tests/results/change_point_rates.h"

namespace bench {
namespace {

constexpr std::int64_t kSeries = 200;

void simulate_row(benchmark::State& state, const std::string& row) {
  std::mt19937_64 random(1);
  Rates rates;
  for (auto _ : state) {
    state.PauseTiming();
    const SimulatedSeries series = simulate_series(row, kNights, kDeviation, random);
    state.ResumeTiming();
    const Changes found = changes_of(series);
    state.PauseTiming();
    count(rates, series, found);
    state.ResumeTiming();
  }
  const auto total = static_cast<double>(state.iterations());
  state.counters["recall"] = rates.recall / total;
  state.counters["false_point"] = rates.with_false_point / total;
  state.counters["one_drift"] = rates.one_drift / total;
}

void year(benchmark::State& state, const std::string& row) {
  std::mt19937_64 random(2);
  const SimulatedSeries series = simulate_series(row, 365, kDeviation, random);
  for (auto _ : state) benchmark::DoNotOptimize(changes_of(series));
}

// row;true steps;what was found: steps, and drifts where there are none;values
void print_series() {
  for (const std::string& row : series_rows()) {
    std::mt19937_64 random(1);
    for (std::int64_t i = 0; i < kSeries; ++i) {
      const SimulatedSeries series = simulate_series(row, kNights, kDeviation, random);
      std::printf("%s;", row.c_str());
      for (const std::size_t at : series.steps) std::printf("%zu ", at);
      std::printf(";");
      for (const Change& c : changes_of(series).changes) {
        if (!c.is_drift() || !series.drifts) std::printf("%zu ", c.begin);
      }
      std::printf(";");
      for (const double value : series.values) std::printf("%.9f ", value);
      std::printf("\n");
    }
  }
}

void register_benchmarks() {
  for (const std::string& row : series_rows()) {
    benchmark::RegisterBenchmark(row.c_str(), simulate_row, row)
        ->Iterations(kSeries)
        ->Unit(benchmark::kMillisecond);
  }
  for (const char* row : {"flat", "step_3", "up_and_down", "drift"}) {
    benchmark::RegisterBenchmark((std::string("year/") + row).c_str(), year, row)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--series") {
    bench::print_series();
    return 0;
  }
  bench::register_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
