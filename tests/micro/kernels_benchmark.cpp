#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/registry.h"
#include "kernels/device.h"
#include "kernels/problem.h"
#include "kernels/variant.h"

// Every stage of every CPU variant alone, at the incident's shape: the pool of GLM-5, two layers
// in memory, one request. `of_copy` is the stage's declared traffic over its time, as a share of
// the copy bandwidth measured at the start.
//   micro_kernels --benchmark_filter='native_fp8/.*'
namespace bench {
namespace {

constexpr std::int64_t kLayers = 2;
constexpr std::uint64_t kSeed = 1;

struct Point {
  std::int64_t context;
  Placement placement;
  bool operator==(const Point&) const = default;
};

StepShape incident(const Point& point) {
  Parameters p;
  p.layers = kLayers;
  p.heads = 8;
  p.qk_nope_head_dim = 192;
  p.context = point.context;
  p.placement = point.placement;
  p.pool_tokens = 495'552;
  p.k_scale = 0.37;
  p.v_scale = 1.9;
  return step_shape(p);
}

// One variant at one context, ready to run. The last one used is kept, as Google Benchmark calls a
// benchmark several times to find its number of iterations.
struct Bench {
  const KernelVariant* variant;
  Point point;
  Problem problem;
  Pipeline pipeline;

  Bench(const KernelVariant* v, const Point& p, PoolCache& pools)
      : variant(v),
        point(p),
        problem(pools, incident(p), kSeed),
        pipeline(v->build(problem, pools.device())) {
    for (int layer = 0; layer < kLayers; ++layer) pools.device().run_layer(pipeline, layer);
  }
};

class Benches {
 public:
  explicit Benches(Device& device) : pools_(device) {}

  Bench& get(const KernelVariant& variant, const Point& point) {
    if (!bench_ || bench_->variant != &variant || bench_->point != point) {
      bench_.reset();  // its memory first
      bench_ = std::make_unique<Bench>(&variant, point, pools_);
    }
    return *bench_;
  }

 private:
  PoolCache pools_;
  std::unique_ptr<Bench> bench_;
};

void report(benchmark::State& state, double bytes, double copy_bandwidth) {
  using benchmark::Counter;
  state.counters["bytes_per_s"] = Counter(bytes, Counter::kIsIterationInvariantRate);
  state.counters["of_copy"] = Counter(bytes / copy_bandwidth, Counter::kIsIterationInvariantRate);
}

void run_stage(benchmark::State& state, Bench& bench, const StageTraffic& traffic, Device& device) {
  for (const StageCall& call : bench.pipeline) {
    if (call.stage != traffic.stage) continue;
    // A pipeline of one stage and one layer: timed by the device's own clock.
    std::vector<std::unique_ptr<Executable>> layers;
    StepShape one = bench.problem.shape();
    one.layers = 1;
    for (int layer = 0; layer < kLayers; ++layer) {
      const auto enqueue = [&call, layer](int) { call.enqueue(layer); };
      layers.push_back(device.prepare({{call.stage, enqueue}}, one));
    }
    std::size_t next = 0;
    for ([[maybe_unused]] auto _ : state) {
      state.SetIterationTime(layers[next++ % kLayers]->run().count());
    }
    report(state, traffic.bytes, device.copy_bandwidth());
  }
}

void run_step(benchmark::State& state, Bench& bench, double bytes, Device& device) {
  const auto step = device.prepare(bench.pipeline, bench.problem.shape());
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(step->run().count());
  report(state, bytes, device.copy_bandwidth());
}

void register_variant(const KernelVariant& variant, const Point& point, Benches& benches,
                      Device& device) {
  double step_bytes = 0;
  const auto add = [&](const std::string& what, auto run) {
    const std::string name = variant.name + "/" + what +
                             "/context:" + std::to_string(point.context) +
                             (point.placement == Placement::contiguous ? "/contiguous" : "");
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&benches, &variant, point, run](benchmark::State& state) {
                                   run(state, benches.get(variant, point));
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  for (const StageTraffic& traffic : variant.traffic(incident(point))) {
    step_bytes += traffic.bytes * kLayers;
    add(to_string(traffic.stage), [traffic, &device](benchmark::State& state, Bench& bench) {
      run_stage(state, bench, traffic, device);
    });
  }
  add("step", [step_bytes, &device](benchmark::State& state, Bench& bench) {
    run_step(state, bench, step_bytes, device);
  });
}

void register_all(Benches& benches, Device& device) {
  for (const Point& point :
       {Point{1024, Placement::scattered}, Point{16'384, Placement::scattered},
        Point{131'072, Placement::scattered}, Point{131'072, Placement::contiguous}}) {
    for (const KernelVariant& variant : Registry<KernelVariant>::all()) {
      if (variant.device == DeviceKind::cpu && !variant.negative_control) {
        register_variant(variant, point, benches, device);
      }
    }
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const auto device = bench::Registry<bench::DeviceFactory>::find("cpu")->open(0);
  benchmark::AddCustomContext("copy_bandwidth_bytes_per_s",
                              std::to_string(device->copy_bandwidth()));
  bench::Benches benches(*device);
  bench::register_all(benches, *device);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
