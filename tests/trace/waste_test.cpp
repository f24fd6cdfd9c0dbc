// Made-up decode loops: each gives the right alarm, or none.
#include "results/trace/waste.h"

#include <gtest/gtest.h>

#include "results/trace/analysis.h"
#include "results/trace/ways_out.h"
#include "tests/trace/traces.h"

namespace bench {
namespace {

constexpr const char* kCopyKernel =
    "void "
    "at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda::{lambda(c10::BFloat16)#1}, "
    "std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1>, LoadWithCast<1> >(int)";

// [rows, width] of one type to another, as aten::copy_.
MadeLaunch copy(std::int64_t rows, std::int64_t width, const std::string& from,
                const std::string& to, double us) {
  return {.op = "aten::copy_",
          .dims = format("[[{}, 1, {}], [{}, 1, {}], []]", rows, width, rows, width),
          .types = format(R"(["{}", "{}", "Scalar"])", to, from),
          .kernel = kCopyKernel,
          .blocks = (rows * width + 511) / 512,
          .us = us};
}

MadeLaunch gemm(std::int64_t tokens, double us = 20) {
  return {.op = "aten::mm",
          .dims = format("[[{}, 6144], [6144, 4608]]", tokens),
          .types = R"(["c10::BFloat16", "c10::BFloat16"])",
          .kernel = "nvjet_tst_64x8",
          .us = us};
}

MadeLaunch gather(std::int64_t rows, std::int64_t pool_rows, const std::string& type,
                  std::int64_t threads) {
  return {.op = "aten::index",
          .dims = format("[[{}, 1, 576], []]", pool_rows),
          .types = format(R"(["{}", ""])", type),
          .kernel = "void at::native::vectorized_gather_kernel<16, long>(char*)",
          .blocks = rows,
          .threads = threads};
}

const MadeLaunch kRmsNorm{.op = "aten::rms_norm",
                          .dims = "[[1, 6144], [], [6144], []]",
                          .types = R"(["c10::BFloat16", "ScalarList", "c10::BFloat16", ""])",
                          .kernel = "layer_norm_kernel"};

std::vector<Waste> waste_of(const MadeLoop& loop, const WasteOptions& options = {}) {
  const ScratchTrace file(loop.text());
  return analyse(read_trace(file.path()), options).waste;
}

TEST(Waste, FindsTheIncidentsOwnCastInAllItsLayers) {
  const auto found = waste_of(
      {.once = {},
       .layer = {kRmsNorm, gemm(1), copy(495552, 576, "c10::Float8_e4m3fn", "c10::BFloat16", 828)},
       .layers = 78});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pool_tokens, 495552);
  EXPECT_EQ(found[0].layers, 78);
  EXPECT_EQ(found[0].bytes_a_step(), 66792480768.0);
  EXPECT_NEAR(found[0].seconds, 64.584e-3, 1e-9);
  EXPECT_EQ(found[0].active_tokens, 0);
  EXPECT_EQ(found[0].amplification(), 0);
}

TEST(Waste, TakesTheActiveTokensFromTheUser) {
  const auto found = waste_of(
      {.once = {},
       .layer = {kRmsNorm, gemm(1), copy(495552, 576, "c10::Float8_e4m3fn", "c10::BFloat16", 828)}},
      {.active_tokens = 4000});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(found[0].amplification(), 495552.0 / 4000 * 3);
}

TEST(Waste, FindsOtherTypesAndLayerCounts) {
  const auto found =
      waste_of({.once = {},
                .layer = {kRmsNorm, gemm(8), copy(131072, 1024, "c10::BFloat16", "float", 300)},
                .layers = 61});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, "BF16");
  EXPECT_EQ(found[0].to, "FP32");
  EXPECT_EQ(found[0].layers, 61);
  EXPECT_EQ(found[0].width, 1024);
  EXPECT_EQ(found[0].read_bytes + found[0].written_bytes, std::int64_t{131072} * 1024 * 6);
}

TEST(Waste, FindsContiguousCopiesOfAPool) {
  const auto found = waste_of(
      {.once = {},
       .layer = {kRmsNorm, gemm(4), copy(262144, 576, "c10::BFloat16", "c10::BFloat16", 200)}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, found[0].to);
}

TEST(Waste, FindsKeysAndValuesApart) {
  const MadeLaunch keys = copy(200000, 1024, "c10::Float8_e5m2", "c10::Half", 400);
  const MadeLaunch values = copy(200000, 512, "c10::Float8_e5m2", "c10::Half", 200);
  const auto found = waste_of({.once = {}, .layer = {kRmsNorm, gemm(2), keys, values}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].width, 1024);
  EXPECT_EQ(found[1].width, 512);
}

TEST(Waste, FindsTheCastInAGraphReplayByItsGrid) {
  MadeLoop loop{
      .once = {},
      .layer = {kRmsNorm, gemm(1), copy(495552, 576, "?", "?", 828), gather(4096, 495552, "?", 96)},
      .layers = 78,
      .shapes = false};
  const auto found = waste_of(loop);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].inferred);
  EXPECT_EQ(found[0].pool_tokens, 495552);
  EXPECT_EQ(found[0].active_tokens, 4096);
  EXPECT_EQ(found[0].from, "?");  // nothing in this trace stores FP8
  EXPECT_EQ(found[0].to, "BF16");
}

TEST(Waste, FindsAPoolCastInPrefillToo) {
  EXPECT_EQ(waste_of({.once = {},
                      .layer = {kRmsNorm, gemm(3000, 900),
                                copy(495552, 576, "c10::Float8_e4m3fn", "c10::BFloat16", 828)}})
                .size(),
            1u);
}

TEST(Waste, PassesOverALargeCopyOnceAStep) {
  EXPECT_TRUE(waste_of({.once = {copy(151552, 6144, "c10::BFloat16", "float", 3000)},
                        .layer = {kRmsNorm, gemm(1)}})
                  .empty());
}

TEST(Waste, PassesOverActivationsOfPrefill) {
  EXPECT_TRUE(waste_of({.once = {},
                        .layer = {kRmsNorm, gemm(8192, 900),
                                  copy(8192, 6144, "c10::BFloat16", "float", 200)}})
                  .empty());
  EXPECT_TRUE(waste_of({.once = {},
                        .layer = {kRmsNorm, gemm(8192, 900),
                                  copy(8192 * 64, 576, "c10::BFloat16", "c10::BFloat16", 600)}})
                  .empty());
}

TEST(Waste, PassesOverTheCastOfWhatWasGathered) {
  const MadeLaunch fetch = gather(131072, 495552, "c10::Float8_e4m3fn", 64);
  EXPECT_TRUE(waste_of({.once = {},
                        .layer = {kRmsNorm, gemm(32), fetch,
                                  copy(131072, 576, "c10::Float8_e4m3fn", "c10::BFloat16", 250)}})
                  .empty());
  EXPECT_TRUE(waste_of({.once = {},
                        .layer = {kRmsNorm, gemm(32), fetch, copy(131072, 576, "", "", 250)},
                        .shapes = false})
                  .empty());
}

TEST(Waste, PassesOverAPoolThatIsMostlyActiveAndKeepsItsTokens) {
  const MadeLoop loop{.once = {},
                      .layer = {kRmsNorm, gemm(120),
                                copy(495552, 576, "c10::Float8_e4m3fn", "c10::BFloat16", 828)}};
  const ScratchTrace file(loop.text());
  const TraceAnalysis a = analyse(read_trace(file.path()), {.active_tokens = 480000});
  EXPECT_TRUE(a.waste.empty());
  EXPECT_EQ(a.active_pool_tokens, 495552);
}

TEST(Waste, OfUnknownRowsIsToldWhateverIsActive) {
  MadeLoop loop{.once = {}, .layer = {kRmsNorm, gemm(1), copy(99991, 577, "?", "?", 828)}};
  loop.layer[2].blocks = 112681;  // x 512 values: no known width divides them
  loop.shapes = false;
  EXPECT_EQ(waste_of(loop).size(), 1u);
  EXPECT_EQ(waste_of(loop, {.active_tokens = 4096}).size(), 1u);
}

TEST(Waste, PassesOverSmallCopiesAndShortOnes) {
  EXPECT_TRUE(waste_of({.once = {},
                        .layer = {kRmsNorm, gemm(1),
                                  copy(4096, 576, "c10::Float8_e4m3fn", "c10::BFloat16", 9)}})
                  .empty());
  EXPECT_TRUE(waste_of({.once = {},
                        .layer = {kRmsNorm, gemm(1, 9000),
                                  copy(65536, 576, "c10::Float8_e4m3fn", "c10::BFloat16", 40)}})
                  .empty());
}

Waste incident() {
  Waste waste;
  waste.pool_tokens = 495552;
  waste.width = 576;
  waste.layers = 78;
  waste.read_bytes = 495552LL * 576;
  waste.written_bytes = 495552LL * 576 * 2;
  waste.seconds = 64.6e-3;
  waste.active_tokens = 4096;
  return waste;
}

TEST(WaysOut, OfTheModelAreBytesOverBandwidth) {
  Waste waste = incident();
  waste.from = "FP8";
  waste.to = "BF16";
  const auto ways = ways_out(waste, card_ceiling(1.792e12), {});
  ASSERT_EQ(ways.size(), 3u);
  EXPECT_EQ(ways[0].variant, "gather_cast");
  EXPECT_NEAR(ways[0].instead_s, 4096.0 * 576 * 3 * 78 / 1.792e12, 1e-12);
  EXPECT_NEAR(ways[0].saved_s + ways[0].instead_s, 64.6e-3, 1e-12);
  EXPECT_EQ(ways[0].basis, "552.1 MB over the card's 1.792 TB/s");
  EXPECT_EQ(ways[1].saved_s, 64.6e-3);
  EXPECT_EQ(ways[2].variant, "bf16_pool");
  EXPECT_EQ(ways[2].pool_bytes, 495552.0 * 576 * 2 * 78);
}

TEST(WaysOut, PreferWhatWasMeasuredAtAboutAsManyTokens) {
  const std::vector<MeasuredGather> measured{
      {3, 1024, 576, 1e-6}, {3, 4000, 576, 5e-6}, {5, 4000, 576, 4e-6}, {5, 4096, 512, 1e-6}};
  const auto ways = ways_out(incident(), card_ceiling(1.792e12), measured);
  EXPECT_EQ(ways[0].basis, "run 5 at 4000 tokens");
  EXPECT_NEAR(ways[0].instead_s, 78 * 4e-6, 1e-12);
  Waste longer = incident();
  longer.active_tokens = 65536;
  EXPECT_EQ(ways_out(longer, card_ceiling(1.792e12), measured)[0].basis,
            "8.833 GB over the card's 1.792 TB/s");
}

TEST(WaysOut, LeaveOutWhatIsNotKnown) {
  Waste waste = incident();
  waste.active_tokens = 0;
  EXPECT_EQ(ways_out(waste, card_ceiling(1.792e12), {})[0].variant, "native_fp8");
  EXPECT_EQ(ways_out(incident(), card_ceiling(0), {})[0].variant, "native_fp8");
}

}  // namespace
}  // namespace bench
