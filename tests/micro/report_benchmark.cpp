// How long the pages take: 500 cases with a million samples, two runs compared, ninety nights.
#include <benchmark/benchmark.h>

#include "dashboards/compare_report.h"
#include "dashboards/site.h"
#include "tests/dashboards/compared.h"
#include "tests/dashboards/nights.h"
#include "tests/dashboards/quickstart.h"

namespace bench {
namespace {

void note_size(benchmark::State& state, const std::string& html) {
  state.counters["page_bytes"] = static_cast<double>(html.size());
}

void report_of_500_cases(benchmark::State& state) {
  const RunReport report = testing::large_report(500, 1'000'000);
  std::string html;
  for (auto _ : state) benchmark::DoNotOptimize(html = report_html(report));
  note_size(state, html);
}
BENCHMARK(report_of_500_cases)->Unit(benchmark::kMillisecond);

void comparison_of_27_cases(benchmark::State& state) {
  const CompareReport report = testing::compare_report();
  std::string html;
  for (auto _ : state) benchmark::DoNotOptimize(html = compare_html(report));
  note_size(state, html);
}
BENCHMARK(comparison_of_27_cases)->Unit(benchmark::kMillisecond);

void site_of_90_nights(benchmark::State& state) {
  const Site site = testing::ninety_nights();
  std::string html;
  for (auto _ : state) benchmark::DoNotOptimize(html = site_html(site));
  note_size(state, html);
}
BENCHMARK(site_of_90_nights)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bench

BENCHMARK_MAIN();
