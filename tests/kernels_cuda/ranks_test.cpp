// Two GPUs: the check of every mode, and what the harness adds to a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "harness/statistics.h"
#include "kernels/check.h"
#include "kernels/cuda/cuda_device.h"

namespace bench {
namespace {

// One rank's devices and steps, on a thread of its own.
struct GpuRank {
  GpuRank(Meeting& meeting, int rank, Parallel mode, const StepShape& shape)
      : device(rank),
        pools(device),
        communicator(device.join(meeting, rank)),
        problem(pools, shape, 5, {.mode = mode, .rank = rank, .ranks = 2}),
        together{.communicator = communicator.get(), .hidden = 6144, .allreduce_per_layer = 1} {}

  cuda::CudaDevice device;
  PoolCache pools;
  std::unique_ptr<Communicator> communicator;
  Problem problem;
  Together together;
};

template <typename Work>
void on_two_gpus(Parallel mode, std::int64_t layers, const Work& work) {
  Parameters p;
  p.layers = layers;
  p.heads = 8;
  p.context = 4096;
  p.pool_tokens = 65536;
  p.qk_nope_head_dim = 192;
  p.parallel = mode;
  const StepShape shape = step_shape(p, 2);
  Alone alone;
  Meeting meeting(alone, 2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      GpuRank own(meeting, rank, mode, shape);
      work(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class TwoGpus : public testing::TestWithParam<Parallel> {
 protected:
  void SetUp() override {
    const DeviceFactory* cuda = Registry<DeviceFactory>::find("cuda");
    if (cuda == nullptr || cuda->count() < 2) GTEST_SKIP() << "needs two GPUs";
  }
};

TEST_P(TwoGpus, AgreeWithTheReference) {
  on_two_gpus(GetParam(), 3, [](GpuRank& rank) {
    const auto& variant = *Registry<KernelVariant>::find("cuda:native_fp8");
    const CheckResult result = check(variant, rank.problem, rank.together);
    EXPECT_TRUE(result.correct) << result.reason;
  });
}

// Times are printed, not judged: the same graph by the harness, and replayed bare.
TEST_P(TwoGpus, TimeAStepAsItsBareReplay) {
  on_two_gpus(GetParam(), 78, [](GpuRank& rank) {
    const auto& variant = *Registry<KernelVariant>::find("cuda:native_fp8");
    const StepShape& shape = rank.problem.shape();
    Step step = build_step(variant, rank.problem, rank.together);
    const cudaStream_t stream = rank.device.stream();
    const cuda::Graph bare = cuda::Graph::record(stream, [&] {
      for (int layer = 0; layer < shape.layers; ++layer) {
        rank.device.run_layer(step.pipeline, layer);
      }
    });
    constexpr int kSteps = 50;
    const cuda::Event start;
    const cuda::Event stop;
    const auto timed = rank.device.prepare(step.pipeline, shape, rank.communicator.get());
    for (int round = 0; round < 3; ++round) {
      rank.communicator->align();
      start.record(stream);
      for (int i = 0; i < kSteps; ++i) bare.launch(stream);
      stop.record(stream);
      const double replayed = stop.since(start).count() / kSteps;
      std::vector<double> times;
      for (int i = 0; i < kSteps; ++i) times.push_back(timed->run().count());
      const double ours = median(times);
      EXPECT_GT(ours, 0);
      if (rank.communicator->rank() == 0) {
        std::printf("mode %d: %.1f us by the harness, %.1f us bare: %+.2f %%\n",
                    static_cast<int>(GetParam()), ours * 1e6, replayed * 1e6,
                    (ours / replayed - 1) * 100);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, TwoGpus,
                         testing::Values(Parallel::tensor, Parallel::replica, Parallel::context));

}  // namespace
}  // namespace bench
