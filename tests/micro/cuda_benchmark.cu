// Attention over scattered FP8 rows beside merely reading them, layer after layer, on the first
// GPU:
//   build/release/tests/micro_cuda
// Time is that of a layer in a chain of layers whose pools are larger than any cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "kernels/cuda/cuda_device.h"
#include "kernels/variant.h"

namespace bench {
namespace {

constexpr int kWarps = 24;
constexpr int kRows = 8;     // a warp has in flight
constexpr int kChunks = 36;  // 16-byte chunks of a row of 576 e4m3 codes
constexpr int kLoads = kRows * kChunks / 32;

// Every warp reads kRows rows at once, nine loads of 16 bytes a lane.
__global__ __launch_bounds__(32 * kWarps, 1) void read_rows(const std::uint8_t* pool,
                                                            const std::int32_t* slots, int rows,
                                                            std::uint32_t* never) {
  const int lane = static_cast<int>(threadIdx.x & 31);
  const int step = static_cast<int>(gridDim.x) * kWarps * kRows;
  std::uint32_t seen = 0;
  for (int first = static_cast<int>(blockIdx.x * kWarps + (threadIdx.x >> 5)) * kRows; first < rows;
       first += step) {
    const int slot = __ldg(slots + min(first + lane % kRows, rows - 1));
    uint4 chunk[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int at = 32 * i + lane;
      const auto row = static_cast<std::int64_t>(__shfl_sync(~0u, slot, at / kChunks));
      chunk[i] = __ldcs(reinterpret_cast<const uint4*>(pool + row * (16 * kChunks)) + at % kChunks);
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) seen ^= chunk[i].x ^ chunk[i].y ^ chunk[i].z ^ chunk[i].w;
  }
  if (seen == 0x12345) *never = seen;  // keeps the loads
}

StepShape shape_of(const benchmark::State& state) {
  Parameters p;
  p.concurrency = state.range(0);
  p.context = state.range(1);
  p.heads = state.range(2);
  p.pool_tokens = 1'114'112;
  p.layers = p.concurrency * p.context > 400'000 ? 6 : 24;
  return step_shape(p);
}

Device& gpu() {
  static const std::unique_ptr<Device> gpu = Registry<DeviceFactory>::find("cuda")->open(0);
  return *gpu;
}

// Runs the pipeline of make(problem) and reports a layer's time.
template <typename Make>
void measure(benchmark::State& state, const Make& make) {
  static PoolCache pools(gpu());
  const StepShape shape = shape_of(state);
  Problem problem(pools, shape, 1);
  const auto step = gpu().prepare(make(problem), shape);
  for (int i = 0; i < 3; ++i) step->run();
  for (auto _ : state) {
    state.SetIterationTime(step->run().count() / static_cast<double>(shape.layers));
  }
  state.SetBytesProcessed(state.iterations() * shape.active_tokens() * shape.row_dim());
}

void rows_alone(benchmark::State& state) {
  measure(state, [](Problem& problem) {
    const StepShape& shape = problem.shape();
    auto& device = cuda::cuda_device(gpu());
    const auto never = std::make_shared<Buffer>(device.allocate(sizeof(std::uint32_t)));
    for (int layer = 0; layer < shape.layers; ++layer) problem.pool(PoolFormat::e4m3, layer);
    return Pipeline{{Stage::gather, [&problem, &device, never](int layer) {
                       read_rows<<<static_cast<unsigned>(device.info().multiprocessors),
                                   32 * kWarps, 0, device.stream()>>>(
                           static_cast<const std::uint8_t*>(problem.pool(PoolFormat::e4m3, layer)),
                           problem.pages(), static_cast<int>(problem.shape().active_tokens()),
                           never->as<std::uint32_t>());
                     }}};
  });
}

void native_fp8(benchmark::State& state) {
  measure(state, [](Problem& problem) {
    Pipeline pipeline = Registry<KernelVariant>::find("cuda:native_fp8")->build(problem, gpu());
    std::erase_if(pipeline, [](const StageCall& call) { return call.stage != Stage::attention; });
    return pipeline;
  });
}

void points(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"requests", "context", "heads"})->UseManualTime()->Iterations(15);
  benchmark->Unit(benchmark::kMicrosecond);
  for (const auto& [requests, context] :
       {std::pair{128, 8192}, std::pair{32, 16'384}, std::pair{64, 8192}, std::pair{8, 32'768},
        std::pair{32, 4096}, std::pair{1, 4096}, std::pair{1, 8192}, std::pair{1, 32'768},
        std::pair{1, 65'536}, std::pair{1, 131'072}}) {
    benchmark->Args({requests, context, 8});
  }
}
BENCHMARK(rows_alone)->Apply(points);
BENCHMARK(native_fp8)
    ->Apply(points)
    ->Args({128, 8192, 16})
    ->Args({32, 16'384, 16})
    ->Args({32, 16'384, 32})
    ->Args({32, 16'384, 64})
    ->Args({32, 16'384, 128});

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (bench::Registry<bench::DeviceFactory>::find("cuda")->count() == 0) {
    std::puts("no CUDA device here: nothing is measured");
    return 0;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
