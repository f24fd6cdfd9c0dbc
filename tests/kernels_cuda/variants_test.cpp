#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kernels/check.h"
#include "kernels/expected_rows.h"
#include "kernels/variant.h"
#include "tests/kernels/small_step.h"
#include "tests/kernels_cuda/gpu.h"

// Every CUDA variant that is registered, whatever it is called, must be right for every shape that
// it does not refuse. A negative control must be wrong.
namespace bench {
namespace {

std::vector<const KernelVariant*> cuda_variants() {
  std::vector<const KernelVariant*> found;
  for (const KernelVariant& variant : Registry<KernelVariant>::all()) {
    if (variant.device == DeviceKind::cuda) found.push_back(&variant);
  }
  return found;
}

class CudaVariants : public OnGpu {
 protected:
  static void expect_right(const StepShape& shape) {
    PoolCache pools(device());
    Problem problem(pools, shape, 11);
    for (const KernelVariant* variant : cuda_variants()) {
      SCOPED_TRACE(variant->name + ": heads " + std::to_string(shape.heads) + ", rope " +
                   std::to_string(shape.rope) + ", page_size " + std::to_string(shape.page_size) +
                   ", query_tokens " + std::to_string(shape.query_tokens) + ", context " +
                   std::to_string(shape.context[0]));
      if (!variant->unsupported(shape, device().info()).empty()) continue;
      const CheckResult result = check(*variant, problem);
      EXPECT_GT(result.rows_compared, 0);
      if (variant->negative_control) {
        // With a single token there is no older row to damage.
        EXPECT_EQ(result.correct, shape.max_context() == 1);
        continue;
      }
      EXPECT_TRUE(result.correct) << result.reason;
    }
  }
  static void expect_right(const Parameters& p) { expect_right(step_shape(p)); }
};

TEST_F(CudaVariants, AreRightForTheHeadsOfEveryModel) {
  constexpr std::array<std::int64_t, 9> kHeads{5, 8, 12, 16, 20, 32, 64, 128, 1};
  constexpr std::array<std::int64_t, 4> kPages{1, 16, 32, 64};
  for (std::size_t i = 0; i < kHeads.size(); ++i) {
    Parameters p = small_step();
    p.heads = kHeads[i];
    p.qk_rope_head_dim = i % 2 == 0 ? 64 : 0;
    p.page_size = kPages[i % 4];
    p.placement = i % 3 == 0 ? Placement::contiguous : Placement::scattered;
    p.query_tokens = static_cast<std::int64_t>(i % 4 + 1);
    expect_right(p);
  }
}

TEST_F(CudaVariants, AreRightForEveryPageSize) {
  for (const std::int64_t page_size : {1, 16, 32, 64}) {
    for (const Placement placement : {Placement::scattered, Placement::contiguous}) {
      Parameters p = small_step();
      p.page_size = page_size;
      p.placement = placement;
      p.layers = 1;
      expect_right(p);
    }
  }
}

TEST_F(CudaVariants, AreRightWhenTheContextIsBarelyThere) {
  for (const std::int64_t context : {1, 2, 31, 63, 64, 65}) {
    Parameters p = small_step();
    p.context = context;
    p.layers = 1;
    expect_right(p);
  }
}

TEST_F(CudaVariants, AreRightWhenOneRequestIsSplitOverManyRanges) {
  Parameters p = small_step();
  p.concurrency = 1;
  p.context = 20'000;
  p.pool_tokens = 25'000;
  p.query_tokens = 2;
  p.layers = 1;
  expect_right(p);
}

TEST_F(CudaVariants, AreRightForRaggedContexts) {
  for (const std::int64_t heads : {8, 16, 32, 64}) {
    for (const std::int64_t rope : {64, 0}) {
      Parameters p = small_step();
      p.heads = heads;
      p.qk_rope_head_dim = rope;
      p.concurrency = 4;
      p.context = 4097;
      p.pool_tokens = 20'000;
      p.k_scale = 0.53;
      p.v_scale = 0.47;
      p.layers = 1;
      StepShape shape = step_shape(p);
      shape.context = {1, 37, 1000, 4097};
      expect_right(shape);
    }
  }
}

TEST_F(CudaVariants, AreRightForManyRequestsAndAFullPool) {
  Parameters p = small_step();
  p.concurrency = 300;
  p.context = 9;
  p.pool_tokens = 0;
  p.layers = 3;
  expect_right(p);
}

TEST_F(CudaVariants, AreRightForExtremeScales) {
  for (const auto& [k, v] : {std::pair{1e-4, 333.3}, std::pair{777.7, 1e-3},
                             // The v_scale that BF16 rounds worst in one-hot rows.
                             std::pair{1.0, 1.37055}}) {
    Parameters p = small_step();
    p.k_scale = k;
    p.v_scale = v;
    p.layers = 1;
    expect_right(p);
  }
}

// Output of a step of all layers, launched one way or the other.
std::vector<std::uint16_t> output_of(const KernelVariant& variant, StepShape shape, Launch launch) {
  shape.launch = launch;
  Device& device = *first_gpu();
  PoolCache pools(device);
  Problem problem(pools, shape, 3);
  const auto step = device.prepare(variant.build(problem, device), shape);
  EXPECT_GT(step->run().count(), 0);
  EXPECT_GT(step->run().count(), 0);
  return download(device, problem.output(), shape.new_tokens() * shape.heads * shape.latent);
}

TEST_F(CudaVariants, GiveTheSameBitsByGraphEagerlyAndAgain) {
  Parameters p = small_step();
  p.context = 3000;
  p.pool_tokens = 10'000;
  const StepShape shape = step_shape(p);
  for (const KernelVariant* variant : cuda_variants()) {
    if (variant->negative_control || !variant->unsupported(shape, device().info()).empty()) {
      continue;
    }
    SCOPED_TRACE(variant->name);
    const auto graph = output_of(*variant, shape, Launch::graph);
    EXPECT_EQ(graph, output_of(*variant, shape, Launch::graph));
    EXPECT_EQ(graph, output_of(*variant, shape, Launch::eager));
  }
}

TEST_F(CudaVariants, TimeEveryStage) {
  const StepShape shape = step_shape(small_step());
  PoolCache pools(device());
  Problem problem(pools, shape, 3);
  for (const KernelVariant* variant : cuda_variants()) {
    if (variant->negative_control || !variant->unsupported(shape, device().info()).empty()) {
      continue;
    }
    Pipeline pipeline = variant->build(problem, device());
    const std::size_t stages = pipeline.size();
    const auto times = device().prepare(std::move(pipeline), shape)->run_stages();
    ASSERT_EQ(times.size(), stages) << variant->name;
    for (const Seconds time : times) EXPECT_GT(time.count(), 0) << variant->name;
  }
}

TEST(CudaVariantsAnywhere, RefuseALatentThatTheyCannotDo) {
  Parameters p = small_step();
  p.kv_lora_rank = 500;
  const DeviceInfo info{.kind = DeviceKind::cuda,
                        .compute_capability = 90,
                        .multiprocessors = 132,
                        .shared_memory_per_block = 232'448};
  for (const KernelVariant* variant : cuda_variants()) {
    EXPECT_NE(variant->unsupported(step_shape(p), info), "") << variant->name;
  }
}

}  // namespace
}  // namespace bench
