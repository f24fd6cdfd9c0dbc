#include "kernels/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/number_formats.h"

namespace bench {
namespace {

// Three tokens of two columns (one is V), worked out by hand.
TEST(Reference, IsTheFormula) {
  StepShape shape{};
  shape.latent = 1;
  shape.rope = 1;
  shape.softmax_scale = 0.5F;
  shape.k_scale = 2.0F;
  shape.v_scale = 3.0F;
  const std::vector<std::vector<double>> rows{{1, 0}, {0, 2}, {5, 5}};
  const std::vector<std::uint16_t> query{float_to_bf16(1.0F), float_to_bf16(0.5F)};
  Threads threads(2);
  const std::vector<ReferenceQuery> queries{{query.data(), 2}, {query.data(), 1}};
  const auto outputs = reference_attention(
      shape, queries,
      [&](std::int64_t t, std::span<double> row) {
        row[0] = rows[static_cast<std::size_t>(t)][0];
        row[1] = rows[static_cast<std::size_t>(t)][1];
      },
      threads);
  // Both scores are 1 x 2 x 0.5 = 1, so the weights are equal; the third token is not visible.
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_DOUBLE_EQ(outputs[0].output[0], 3.0 * 0.5);
  EXPECT_DOUBLE_EQ(outputs[0].lse, 1 + std::log(2.0));
  EXPECT_DOUBLE_EQ(outputs[1].output[0], 3.0);
  EXPECT_DOUBLE_EQ(outputs[1].lse, 1.0);
}

TEST(Reference, SurvivesScoresThatWouldOverflow) {
  StepShape shape{};
  shape.latent = 1;
  shape.softmax_scale = 1000.0F;
  shape.k_scale = 1.0F;
  shape.v_scale = 1.0F;
  const std::vector<std::uint16_t> query{float_to_bf16(1.0F)};
  Threads threads(1);
  const std::vector<ReferenceQuery> queries{{query.data(), 100}};
  const auto outputs = reference_attention(
      shape, queries,
      [](std::int64_t t, std::span<double> row) { row[0] = static_cast<double>(t); }, threads);
  EXPECT_DOUBLE_EQ(outputs[0].output[0], 99.0);
  EXPECT_DOUBLE_EQ(outputs[0].lse, 99'000.0);
}

}  // namespace
}  // namespace bench
