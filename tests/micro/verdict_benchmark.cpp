// What verdicts cost, and how often they are wrong: each simulation's counters are rates.
//   micro_verdict --benchmark_filter=AA      false alarms of identical programs
//   micro_verdict --benchmark_filter=Shift   how often a true change is found

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "results/verdict.h"
#include "tests/results/simulated_noise.h"

namespace bench {
namespace {

constexpr std::int64_t kComparisons = 10'000;

struct Setting {
  std::size_t cases;
  std::size_t replicates;
  Noise noise;
  double deviation;
  bool paired;
};

// One family whose first case truly changes by `ratio`.
std::vector<Verdict> simulated_family(const Setting& setting, double ratio,
                                      std::mt19937_64& random) {
  std::vector<Judged> family;
  for (std::size_t i = 0; i < setting.cases; ++i) {
    const SimulatedPair pair = simulate(setting.noise, setting.deviation, setting.replicates,
                                        i == 0 ? ratio : 1, random, setting.paired);
    family.push_back({setting.paired ? compare_paired(pair.baseline, pair.candidate)
                                     : compare_unpaired(pair.baseline, pair.candidate),
                      {}});
  }
  return judge(family);
}

bool alarm(const Verdict& verdict) {
  return verdict.word == Word::improved || verdict.word == Word::regressed;
}

void simulate_aa(benchmark::State& state, const Setting& setting) {
  std::mt19937_64 random(1);
  double families = 0;
  double false_alarms = 0;
  double unchanged = 0;
  for (auto _ : state) {
    const std::vector<Verdict> verdicts = simulated_family(setting, 1, random);
    families += 1;
    false_alarms += std::ranges::any_of(verdicts, alarm) ? 1 : 0;
    unchanged += static_cast<double>(std::ranges::count(verdicts, Word::unchanged, &Verdict::word));
  }
  state.counters["false_alarms"] = false_alarms / families;
  state.counters["unchanged"] = unchanged / families / static_cast<double>(setting.cases);
}

void simulate_shift(benchmark::State& state, const Setting& setting, double ratio) {
  std::mt19937_64 random(2);
  double families = 0;
  double found = 0;
  double inconclusive = 0;
  for (auto _ : state) {
    const Verdict verdict = simulated_family(setting, ratio, random).front();
    families += 1;
    found += verdict.word == (ratio > 1 ? Word::regressed : Word::improved) ? 1 : 0;
    inconclusive += verdict.word == Word::inconclusive ? 1 : 0;
  }
  state.counters["found"] = found / families;
  state.counters["inconclusive"] = inconclusive / families;
}

std::string title(const char* kind, const Setting& s) {
  return std::string(kind) + (s.paired ? "/pairs/" : "/runs/") + std::string(name(s.noise)) +
         "/noise:" + std::to_string(s.deviation * 100).substr(0, 4) +
         "%/cases:" + std::to_string(s.cases) + "/replicates:" + std::to_string(s.replicates);
}

void register_aa(const Setting& setting) {
  benchmark::RegisterBenchmark(title("AA", setting).c_str(), simulate_aa, setting)
      ->Iterations(kComparisons)
      ->Unit(benchmark::kMicrosecond);
}

void register_shift(const Setting& setting, double ratio) {
  benchmark::RegisterBenchmark(
      (title("Shift", setting) + "/" + std::to_string(ratio).substr(0, 4)).c_str(), simulate_shift,
      setting, ratio)
      ->Iterations(kComparisons)
      ->Unit(benchmark::kMicrosecond);
}

void register_simulations() {
  for (const bool paired : {false, true}) {
    for (const Noise noise : kAllNoises) {
      for (const double deviation : {0.005, 0.02, 0.1}) {
        register_aa({50, 8, noise, deviation, paired});
      }
    }
    for (const Noise noise : kAllNoises) register_shift({50, 8, noise, 0.005, paired}, 1.03);
    register_shift({50, 3, Noise::gaussian, 0.005, paired}, 1.03);
    register_shift({50, 3, Noise::gaussian, 0.005, paired}, 1.00);
  }
}

void judge_a_thousand_cases(benchmark::State& state) {
  std::mt19937_64 random(3);
  const Setting setting{1000, 8, Noise::gaussian, 0.005, false};
  std::vector<SimulatedPair> data;
  for (std::size_t i = 0; i < setting.cases; ++i) {
    data.push_back(simulate(setting.noise, setting.deviation, setting.replicates, 1, random));
  }
  for (auto _ : state) {
    std::vector<Judged> family;
    for (const SimulatedPair& pair : data) {
      family.push_back({compare_unpaired(pair.baseline, pair.candidate), {}});
    }
    benchmark::DoNotOptimize(judge(family));
  }
}
BENCHMARK(judge_a_thousand_cases)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::register_simulations();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
