#include "kernels/pool_format.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "kernels/number_formats.h"

namespace bench {
namespace {

StepShape shape_with(std::int64_t latent, std::int64_t rope) {
  StepShape shape{};
  shape.latent = latent;
  shape.rope = rope;
  return shape;
}

std::vector<double> round_trip(PoolFormat format, const StepShape& shape,
                               const std::vector<float>& values) {
  std::vector<std::byte> row(static_cast<std::size_t>(row_bytes(format, shape)));
  encode_row(format, shape, values, row.data());
  std::vector<double> back(values.size());
  decode_row(format, shape, row.data(), back);
  return back;
}

TEST(PoolFormat, HasTheRowsOfTheField) {
  const StepShape shape = shape_with(512, 64);
  EXPECT_EQ(row_bytes(PoolFormat::e4m3, shape), 576);
  EXPECT_EQ(row_bytes(PoolFormat::bf16, shape), 1152);
  EXPECT_EQ(row_bytes(PoolFormat::ds_mla656, shape), 656);
}

TEST(PoolFormat, RoundsE4m3ToTheNearestAndTiesToEven) {
  const std::vector<float> values{1.0F, 1.0625F, 1.1875F, -449.0F, 1e9F, 0x1p-9F, 0x1p-11F, 0.0F};
  EXPECT_EQ(round_trip(PoolFormat::e4m3, shape_with(8, 0), values),
            (std::vector<double>{1.0, 1.0, 1.25, -448.0, 448.0, 0x1p-9, 0.0, 0.0}));
}

TEST(PoolFormat, EveryE4m3CodeSurvivesARoundTrip) {
  for (int code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    if (e4m3_is_nan(byte)) continue;
    EXPECT_EQ(float_to_e4m3(e4m3_to_float(byte)), byte) << code;
  }
  EXPECT_TRUE(std::isnan(e4m3_to_float(0x7f)));
  EXPECT_TRUE(std::isnan(e4m3_to_float(0xff)));
  EXPECT_TRUE(e4m3_is_nan(float_to_e4m3(std::nanf(""))));
}

TEST(PoolFormat, E4m3RoundsToANearestCodeEverywhere) {
  std::array<double, 127> codes{};
  for (std::uint8_t code = 0; code < 127; ++code) codes[code] = e4m3_to_float(code);
  for (std::uint32_t bits = 0; bits < 0x44000000u; bits += 0x12345u) {
    const float value = std::bit_cast<float>(bits);
    double best = INFINITY;
    for (const double code : codes) best = std::min(best, std::abs(code - value));
    ASSERT_EQ(std::abs(double{e4m3_to_float(float_to_e4m3(value))} - value), best) << value;
  }
}

TEST(PoolFormat, ScalesEachTileOfDsMlaByItsOwnMaximum) {
  const StepShape shape = shape_with(256, 2);
  std::vector<float> values(258, 0.0F);
  values[0] = 4480.0F;   // tile 0: scale 10
  values[1] = 40.0F;     // 4 of them
  values[128] = 0.448F;  // tile 1: scale 0.001
  values[256] = 3.140625F;
  values[257] = -1e30F;  // the rope part has no scale to overflow
  const auto back = round_trip(PoolFormat::ds_mla656, shape, values);
  EXPECT_DOUBLE_EQ(back[0], 4480.0);
  EXPECT_DOUBLE_EQ(back[1], 40.0);
  EXPECT_NEAR(back[128], 0.448, 1e-7);
  EXPECT_EQ(back[256], 3.140625);
  EXPECT_NEAR(back[257], -1e30, 1e28);
  EXPECT_EQ(back[2], 0.0);
}

TEST(OriginalValue, IsSpreadAlikeAndExactInBf16) {
  double squares = 0;
  double sum = 0;
  constexpr int kCount = 100'000;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const float value = original_value(7, 3, i / 576, i % 576);
    ASSERT_EQ(bf16_to_float(float_to_bf16(value)), value);
    ASSERT_LT(std::abs(value), 2.0F);
    squares += double{value} * value;
    sum += value;
  }
  EXPECT_NEAR(squares / kCount, 4.0 / 3, 0.02);
  EXPECT_NEAR(sum / kCount, 0.0, 0.02);
}

TEST(OriginalValue, DiffersBySeedLayerSlotAndColumn) {
  int equal = 0;
  for (std::int64_t c = 0; c < 64; ++c) {
    const float value = original_value(1, 1, 1, c);
    equal += value == original_value(2, 1, 1, c);
    equal += value == original_value(1, 2, 1, c);
    equal += value == original_value(1, 1, 2, c);
    equal += value == original_value(1, 1, 1, c + 64);
  }
  EXPECT_LE(equal, 8);
}

}  // namespace
}  // namespace bench
