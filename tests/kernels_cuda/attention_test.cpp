#include "kernels/cuda/attention.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/check.h"
#include "kernels/cuda/attention_stage.h"
#include "kernels/cuda/stages.h"
#include "tests/kernels/small_step.h"
#include "tests/kernels_cuda/gpu.h"

// The card of the incident, which is not at hand: what it allows is imposed on the GPU that is.
namespace bench {
namespace {

constexpr PoolFormat kFormats[] = {PoolFormat::e4m3, PoolFormat::bf16, PoolFormat::ds_mla656};

DeviceInfo rtx_pro_6000() {
  return {.kind = DeviceKind::cuda,
          .name = "RTX PRO 6000 Blackwell",
          .compute_capability = 120,
          .multiprocessors = 188,
          .shared_memory_per_block = 101'376};
}

StepShape shape_of(std::int64_t heads, std::int64_t query_tokens = 1) {
  Parameters p = small_step();
  p.heads = heads;
  p.query_tokens = query_tokens;
  p.layers = 1;
  return step_shape(p);
}

using OnSm120 = OnGpu;

TEST_F(OnSm120, KernelsFitItsMultiprocessorAndPadFewRows) {
  for (const PoolFormat format : kFormats) {
    for (const std::int64_t heads : {1, 5, 8, 12, 16, 20, 32, 64, 128}) {
      SCOPED_TRACE(to_string(format) + ", heads " + std::to_string(heads));
      const cuda::AttentionPlan plan =
          cuda::plan_attention(format, shape_of(heads), rtx_pro_6000());
      EXPECT_EQ(plan.kernel.only_capability, 0);
      EXPECT_LE(plan.kernel.rows, 16);
      EXPECT_LE(plan.grid, 188);
      EXPECT_EQ(plan.grid % plan.row_blocks, 0);
      cudaFuncAttributes compiled{};
      ASSERT_EQ(cudaFuncGetAttributes(&compiled, plan.kernel.function), cudaSuccess);
      EXPECT_LE(compiled.sharedSizeBytes + static_cast<std::size_t>(plan.kernel.shared_bytes),
                101'376U);
      EXPECT_LE(compiled.numRegs * plan.kernel.threads, 65'536);
      EXPECT_LE(compiled.localSizeBytes, 128U) << "bytes spilled a thread";
    }
  }
}

TEST_F(OnSm120, ThePlainFp8VariantNamesItsKernel) {
  const cuda::AttentionPlan plan =
      cuda::plan_attention(PoolFormat::e4m3, shape_of(8), rtx_pro_6000());
  const KernelVariant* variant = Registry<KernelVariant>::find("cuda:native_fp8");
  EXPECT_NE(variant->summary.find("SM120: by " + std::string(plan.kernel.name)), std::string::npos)
      << variant->summary;
}

// Reads the pool's rows as native_fp8 and its like do, with the kernels and the split of `limits`.
KernelVariant chosen_for(const DeviceInfo& limits, PoolFormat format) {
  return {.name = "as on another card",
          .device = DeviceKind::cuda,
          .pool = format,
          .unsupported = [](const StepShape&, const DeviceInfo&) { return std::string(); },
          .traffic = [](const StepShape&) { return std::vector<StageTraffic>(); },
          .scratch_bytes = [](const StepShape&) { return std::int64_t{0}; },
          .build =
              [limits, format](Problem& problem, Device& any) {
                cuda::CudaDevice& device = cuda::cuda_device(any);
                Pipeline pipeline{cuda::append_stage(problem, device, format)};
                cuda::add_attention(
                    pipeline, problem, device,
                    [&problem, format, pools = cuda::all_pools(problem, format)](int layer) {
                      return cuda::pool_rows(problem, format, pools[cuda::at(layer)]);
                    },
                    cuda::RowsAre::old, &limits);
                return pipeline;
              }};
}

// CTAs of a plan that the GPU at hand can hold at once.
int resident(const cuda::AttentionPlan& plan, const DeviceInfo& device) {
  int per_multiprocessor = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &per_multiprocessor, plan.kernel.function, plan.kernel.threads,
                static_cast<std::size_t>(plan.kernel.shared_bytes)),
            cudaSuccess);
  return per_multiprocessor * device.multiprocessors;
}

// The longest request's share of the split, in CTAs.
std::int64_t longest_span(const cuda::AttentionPlan& plan, const StepShape& shape) {
  const std::int64_t whole = plan.grid * shape.max_context() / shape.active_tokens();
  return whole + std::int64_t{2} * plan.row_blocks;
}

// The split is the other card's: 188 CTAs, of 256 tokens or more. Where the GPU at hand holds fewer
// at once, the rest begin as those before them end; no request may be so long that its parts wait
// for them.
TEST_F(OnSm120, IsRightForRaggedContexts) {
  for (const PoolFormat format : kFormats) {
    for (const std::int64_t heads : {5, 8, 12, 20}) {
      SCOPED_TRACE(to_string(format) + ", heads " + std::to_string(heads));
      Parameters p = small_step();
      p.heads = heads;
      p.concurrency = 8;
      p.context = 14'000;
      p.pool_tokens = 120'000;
      p.layers = 1;
      StepShape shape = step_shape(p);
      shape.context = {1, 37, 1000, 10'000, 14'000, 12'000, 20, 13'097};
      const cuda::AttentionPlan plan = cuda::plan_attention(format, shape, rtx_pro_6000());
      EXPECT_GT(plan.grid, 188 - plan.row_blocks);
      ASSERT_LT(longest_span(plan, shape), resident(plan, device().info()) / 2);
      PoolCache pools(device());
      Problem problem(pools, shape, 5);
      const CheckResult result = check(chosen_for(rtx_pro_6000(), format), problem);
      EXPECT_TRUE(result.correct) << result.reason;
      EXPECT_LT(result.output_error, 3.5e-3);
    }
  }
}

// The GPU at hand as one of few multiprocessors, so that each of them has many tokens.
using ManyTokens = OnGpu;

TEST_F(ManyTokens, HaveAKernelThatIsRightForRaggedContexts) {
  if (device().info().compute_capability < 90) GTEST_SKIP() << "it needs the copy engine of 9.0";
  DeviceInfo few = device().info();
  few.multiprocessors = 4;
  for (const std::int64_t heads : {1, 5, 8}) {
    for (const std::int64_t rope : {0, 64}) {
      SCOPED_TRACE("heads " + std::to_string(heads) + ", rope " + std::to_string(rope));
      Parameters p = small_step();
      p.heads = heads;
      p.query_tokens = heads == 1 ? 4 : 1;
      p.qk_rope_head_dim = rope;
      p.concurrency = 5;
      p.context = 4097;
      p.pool_tokens = 24'000;
      StepShape shape = step_shape(p);
      shape.context = {4, 37, 4097, 1000, 3001};
      const std::string name = cuda::plan_attention(PoolFormat::e4m3, shape, few).kernel.name;
      EXPECT_EQ(name, "mma/8/many");
      PoolCache pools(device());
      Problem problem(pools, shape, 5);
      const CheckResult result = check(chosen_for(few, PoolFormat::e4m3), problem);
      EXPECT_TRUE(result.correct) << result.reason;
      EXPECT_LT(result.output_error, 2e-3);
    }
  }
}

}  // namespace
}  // namespace bench
