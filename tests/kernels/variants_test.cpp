#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "harness/registry.h"
#include "kernels/check.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/simd.h"
#include "kernels/problem.h"
#include "kernels/variant.h"
#include "tests/kernels/small_step.h"

// Every CPU variant that is registered, whatever it is called, must be right for every shape it
// does not refuse, and must say why it refuses the others. A negative control must be wrong.
namespace bench {
namespace {

CpuDevice& device() {
  static CpuDevice cpu;
  return cpu;
}

std::vector<const KernelVariant*> cpu_variants() {
  std::vector<const KernelVariant*> found;
  for (const KernelVariant& variant : Registry<KernelVariant>::all()) {
    if (variant.device == DeviceKind::cpu) found.push_back(&variant);
  }
  return found;
}

std::string describe(const KernelVariant& variant, const Parameters& p) {
  return variant.name + ": heads " + std::to_string(p.heads) + ", rope " +
         std::to_string(p.qk_rope_head_dim) + ", page_size " + std::to_string(p.page_size) +
         ", query_tokens " + std::to_string(p.query_tokens) + ", context " +
         std::to_string(p.context) + ", concurrency " + std::to_string(p.concurrency) +
         (p.placement == Placement::scattered ? ", scattered" : ", contiguous");
}

void expect_right_variants(const Parameters& p) {
  PoolCache pools(device());
  const StepShape shape = step_shape(p);
  Problem problem(pools, shape, 11);
  for (const KernelVariant* variant : cpu_variants()) {
    SCOPED_TRACE(describe(*variant, p));
    ASSERT_EQ(variant->unsupported(shape, device().info()), "");
    const CheckResult result = check(*variant, problem);
    EXPECT_EQ(result.reason.empty(), result.correct);
    EXPECT_GT(result.rows_compared, 0);
    if (variant->negative_control) {
      // With a single token there is no older row to damage.
      EXPECT_EQ(result.correct, p.context == 1);
      continue;
    }
    EXPECT_TRUE(result.correct) << result.reason;
    EXPECT_LT(result.output_error, kOutputTolerance);
    EXPECT_GT(result.output_error, 0);  // BF16 cannot hold an FP64 answer
    EXPECT_LT(result.quantisation_error, variant->pool == PoolFormat::bf16 ? 0.01 : 0.2);
  }
}

// The whole product, for machines with the time.
TEST(VariantsSlow, AreRightForEveryShape) {
  for (const std::int64_t heads : {5, 8, 12, 16, 20, 64, 128}) {
    for (const std::int64_t rope : {64, 0}) {
      for (const std::int64_t page_size : {1, 16, 32, 64}) {
        for (const Placement placement : {Placement::scattered, Placement::contiguous}) {
          for (const std::int64_t query_tokens : {1, 3}) {
            Parameters p = small_step();
            p.heads = heads;
            p.qk_rope_head_dim = rope;
            p.page_size = page_size;
            p.placement = placement;
            p.query_tokens = query_tokens;
            p.layers = 1;
            expect_right_variants(p);
          }
        }
      }
    }
  }
}

// The head counts that the model presets give a rank, each with another of everything else.
TEST(Variants, AreRightForTheHeadsOfEveryModel) {
  constexpr std::array<std::int64_t, 7> kHeads{5, 8, 12, 16, 20, 64, 128};
  constexpr std::array<std::int64_t, 4> kPages{1, 16, 32, 64};
  for (std::size_t i = 0; i < kHeads.size(); ++i) {
    Parameters p = small_step();
    p.heads = kHeads[i];
    p.qk_rope_head_dim = i % 2 == 0 ? 64 : 0;
    p.page_size = kPages[i % 4];
    p.placement = i % 3 == 0 ? Placement::contiguous : Placement::scattered;
    p.query_tokens = p.heads > 20 ? 1 : static_cast<std::int64_t>(i % 4 + 1);
    expect_right_variants(p);
  }
}

TEST(Variants, AreRightForEveryPageSizeAndPlacement) {
  for (const std::int64_t page_size : {1, 16, 32, 64}) {
    for (const Placement placement : {Placement::scattered, Placement::contiguous}) {
      Parameters p = small_step();
      p.page_size = page_size;
      p.placement = placement;
      p.layers = 1;
      expect_right_variants(p);
    }
  }
}

TEST(Variants, AreRightForSeveralQueryTokens) {
  for (const std::int64_t query_tokens : {1, 2, 3, 4}) {
    Parameters p = small_step();
    p.query_tokens = query_tokens;
    p.layers = 1;
    expect_right_variants(p);
  }
}

TEST(Variants, AreRightWhenTheContextIsBarelyThere) {
  for (const std::int64_t context : {1, 2, 31, 32, 33}) {
    Parameters p = small_step();
    p.context = context;
    p.layers = 1;
    expect_right_variants(p);
  }
}

TEST(Variants, AreRightWhenOneRequestIsSplitOverManyRanges) {
  Parameters p = small_step();
  p.concurrency = 1;
  p.context = 1999;
  p.pool_tokens = 2500;
  p.query_tokens = 2;
  p.layers = 1;
  expect_right_variants(p);
}

TEST(Variants, AreRightForManyRequestsAndAFullPool) {
  Parameters p = small_step();
  p.concurrency = 33;
  p.context = 9;
  p.pool_tokens = 0;
  p.layers = 3;
  expect_right_variants(p);
}

TEST(Variants, AreRightForExtremeScales) {
  for (const auto& [k, v] : {std::pair{1e-4, 333.3}, std::pair{777.7, 1e-3},
                             // The v_scale that BF16 rounds worst in one-hot rows.
                             std::pair{1.0, 1.37055}}) {
    Parameters p = small_step();
    p.k_scale = k;
    p.v_scale = v;
    p.layers = 1;
    expect_right_variants(p);
  }
}

TEST(Variants, AreRightOnEveryInstructionSet) {
  for (const simd::Level level : {simd::Level::baseline, simd::Level::v3, simd::Level::v4}) {
    simd::use_level(level);
    Parameters p = small_step();
    p.query_tokens = 3;
    p.heads = 5;
    expect_right_variants(p);
  }
  simd::use_level(simd::best_level());
}

TEST(Variants, SayWhyTheyRefuseAShape) {
  Parameters p = small_step();
  p.kv_lora_rank = 500;
  const StepShape shape = step_shape(p);
  for (const KernelVariant* variant : cpu_variants()) {
    EXPECT_NE(variant->unsupported(shape, device().info()), "") << variant->name;
  }
}

TEST(Variants, DeclareTheTrafficOfTheirStages) {
  Parameters p = small_step();
  p.layers = 1;
  const StepShape shape = step_shape(p);
  PoolCache pools(device());
  Problem problem(pools, shape, 11);
  for (const KernelVariant* variant : cpu_variants()) {
    const auto traffic = variant->traffic(shape);
    std::size_t next = 0;
    for (const StageCall& call : variant->build(problem, device())) {
      if (call.stage == Stage::combine) continue;  // in cache
      ASSERT_LT(next, traffic.size()) << variant->name;
      EXPECT_EQ(traffic[next].stage, call.stage) << variant->name;
      EXPECT_GT(traffic[next].bytes, 0) << variant->name;
      ++next;
    }
    EXPECT_EQ(next, traffic.size()) << variant->name;
  }
}

// The incident's arithmetic: 856 MB a layer for the cast, 576 B a token for the rest.
TEST(Variants, CountTheBytesOfTheIncident) {
  Parameters p;
  p.pool_tokens = 495552;
  p.context = 4096;
  p.heads = 8;
  const StepShape shape = step_shape(p);
  const auto bytes = [&](const std::string& name, Stage stage) {
    for (const StageTraffic& t : Registry<KernelVariant>::find("cpu:" + name)->traffic(shape)) {
      if (t.stage == stage) return t.bytes;
    }
    return 0.0;
  };
  EXPECT_EQ(bytes("full_pool_cast", Stage::cast), 495552.0 * 576 * 3);
  EXPECT_EQ(bytes("full_pool_cast", Stage::attention), 4096.0 * 576 * 2);
  EXPECT_EQ(bytes("native_fp8", Stage::attention), 4096.0 * 576);
  EXPECT_EQ(bytes("native_fp8/ds_mla656", Stage::attention), 4096.0 * 656);
  EXPECT_EQ(bytes("bf16_pool", Stage::attention), 4096.0 * 1152);
  EXPECT_EQ(bytes("gather_cast/fused", Stage::gather), 4096.0 * 576 * 3);
  EXPECT_EQ(bytes("gather_cast", Stage::gather), 4096.0 * 576 * 2);
  EXPECT_EQ(bytes("gather_cast", Stage::cast), 4096.0 * 576 * 3);
  EXPECT_EQ(bytes("native_fp8", Stage::append), 576.0 * 3);
}

}  // namespace
}  // namespace bench
