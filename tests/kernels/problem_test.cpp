#include "kernels/problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "kernels/cpu/cpu_device.h"
#include "kernels/number_formats.h"
#include "tests/kernels/small_step.h"

namespace bench {
namespace {

StepShape shape_of(const Parameters& p) { return step_shape(p); }

Parameters ragged_pages() {
  Parameters p;
  p.context = 77;
  p.concurrency = 5;
  p.page_size = 16;
  p.pool_tokens = 1000;
  p.heads = 8;
  return p;
}

TEST(SlotMap, GivesNoSlotTwiceAndStaysInThePool) {
  for (const Placement placement : {Placement::scattered, Placement::contiguous}) {
    Parameters p = ragged_pages();
    p.placement = placement;
    const StepShape shape = shape_of(p);
    const SlotMap map = make_slot_map(shape, 3);
    std::set<std::int64_t> seen;
    for (std::int64_t r = 0; r < shape.requests; ++r) {
      for (std::int64_t t = 0; t < 77; ++t) {
        const std::int64_t slot = map.slot(r, t);
        EXPECT_GE(slot, 0);
        EXPECT_LT(slot, shape.pool_tokens);
        EXPECT_TRUE(seen.insert(slot).second) << slot;
      }
    }
  }
}

TEST(SlotMap, ScattersOverTheWholePool) {
  Parameters p = ragged_pages();
  p.page_size = 1;
  p.pool_tokens = 100'000;
  const SlotMap map = make_slot_map(shape_of(p), 3);
  std::array<int, 4> quarters{};
  for (const std::int32_t page : map.pages) ++quarters[static_cast<std::size_t>(page / 25'000)];
  for (const int count : quarters) EXPECT_GT(count, 60);
  EXPECT_NE(map.pages, make_slot_map(shape_of(p), 4).pages);
  EXPECT_EQ(map.pages, make_slot_map(shape_of(p), 3).pages);
}

TEST(SlotMap, KeepsATokensPlaceInItsPage) {
  const SlotMap map = make_slot_map(shape_of(ragged_pages()), 3);
  EXPECT_EQ(map.slot(2, 35), std::int64_t{map.pages[2 * 5 + 2]} * 16 + 3);
}

TEST(SlotMap, FillsAPoolToTheLastSlot) {
  Parameters p = ragged_pages();
  p.page_size = 1;
  p.pool_tokens = 0;
  const SlotMap map = make_slot_map(shape_of(p), 3);
  const std::set<std::int32_t> seen(map.pages.begin(), map.pages.end());
  EXPECT_EQ(seen.size(), 5u * 77u);
  EXPECT_EQ(*seen.rbegin(), 5 * 77 - 1);
}

class ProblemTest : public testing::Test {
 protected:
  static Parameters parameters() {
    Parameters p = small_step();
    p.layers = 5;
    p.query_tokens = 3;
    return p;
  }

  std::vector<std::byte> row(Problem& problem, PoolFormat format, int layer, std::int64_t slot) {
    const std::int64_t bytes = row_bytes(format, problem.shape());
    const auto* pool = static_cast<const std::byte*>(problem.pool(format, layer));
    return {pool + slot * bytes, pool + (slot + 1) * bytes};
  }

  CpuDevice device_;
  PoolCache pools_{device_};
};

TEST_F(ProblemTest, FillsActiveSlotsWithTheirRowsAndOthersWithAnything) {
  Problem problem(pools_, step_shape(parameters()), 8);
  const auto* pool = static_cast<const std::uint8_t*>(problem.pool(PoolFormat::e4m3, 1));
  std::set<std::int64_t> active;
  for (std::int64_t r = 0; r < 2; ++r) {
    for (std::int64_t t = 0; t < 77; ++t) active.insert(problem.slots().slot(r, t));
  }
  int nans = 0;
  for (std::int64_t slot = 0; slot < 500; ++slot) {
    for (std::int64_t c = 0; c < 576; ++c) {
      const std::uint8_t code = pool[slot * 576 + c];
      if (active.contains(slot)) {
        ASSERT_EQ(code, float_to_e4m3(original_value(8, 1, slot, c)));
      } else {
        nans += e4m3_is_nan(code);
      }
    }
  }
  EXPECT_NEAR(nans, 346 * 576 * 2 / 256, 200);
}

TEST_F(ProblemTest, PutsDamagedRowsRightWhenTold) {
  Problem problem(pools_, step_shape(parameters()), 8);
  const std::int64_t slot = problem.slots().slot(1, 5);
  const auto before = row(problem, PoolFormat::bf16, 2, slot);
  std::memset(static_cast<std::byte*>(problem.pool(PoolFormat::bf16, 2)) + slot * 1152, 0, 1152);
  EXPECT_NE(row(problem, PoolFormat::bf16, 2, slot), before);
  problem.forget_rows(PoolFormat::bf16);
  EXPECT_EQ(row(problem, PoolFormat::bf16, 2, slot), before);
}

TEST_F(ProblemTest, KeepsAPoolThatIsLargeEnough) {
  void* large = pools_.pool(PoolFormat::e4m3, 0, 10'000'000);
  EXPECT_EQ(pools_.pool(PoolFormat::e4m3, 0, 5'000'000), large);
  EXPECT_NE(pools_.pool(PoolFormat::e4m3, 1, 5'000'000), large);
}

TEST_F(ProblemTest, GivesEveryLayerFiniteQueriesOfUsefulSize) {
  Problem problem(pools_, step_shape(parameters()), 8);
  const StepShape& shape = problem.shape();
  for (int layer = 0; layer < 5; ++layer) {
    const std::uint16_t* queries = problem.queries(layer);
    for (std::int64_t i = 0; i < shape.new_tokens() * shape.heads * shape.row_dim(); ++i) {
      ASSERT_TRUE(std::isfinite(bf16_to_float(queries[i])));
    }
    EXPECT_NE(bf16_to_float(queries[0]), 0.0F);
  }
}

TEST_F(ProblemTest, ChecksTheFirstTheLastAndAnotherLayer) {
  Parameters p = parameters();
  p.layers = 78;
  const std::vector<int> layers = Problem(pools_, step_shape(p), 8).check_layers();
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers.front(), 0);
  EXPECT_EQ(layers.back(), 77);
}

TEST_F(ProblemTest, AimsAtTheEndsAsOftenAsBetweenAndMixesTheKinds) {
  Parameters p = parameters();
  p.heads = 64;
  p.layers = 1;
  Problem problem(pools_, step_shape(p), 8);
  std::array<int, 3> kinds{};
  int oldest = 0;
  int newest = 0;
  for (std::int64_t r = 0; r < 2; ++r) {
    for (std::int64_t t = 0; t < 3; ++t) {
      for (std::int64_t h = 0; h < 64; ++h) {
        const QueryAim aim = problem.aim(0, r, t, h);
        ++kinds[static_cast<std::size_t>(aim.kind)];
        EXPECT_LT(aim.token, problem.shape().visible(r, t));
        oldest += aim.token == 0;
        newest += aim.token == problem.shape().visible(r, t) - 1;
      }
    }
  }
  for (const int count : kinds) EXPECT_EQ(count, 128);
  EXPECT_GT(oldest, 30);
  EXPECT_GT(newest, 30);
}

// The share of the softmax that the aimed-at key holds, in FP64.
TEST_F(ProblemTest, MakesQueriesThatDoWhatTheyAreMeantFor) {
  Parameters p = parameters();
  p.context = 3000;
  p.concurrency = 1;
  p.pool_tokens = 4000;
  p.query_tokens = 1;
  p.layers = 1;
  p.k_scale = 0.0123;
  Problem problem(pools_, step_shape(p), 8);
  const StepShape& shape = problem.shape();
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const QueryAim aim = problem.aim(0, 0, 0, head);
    const std::uint16_t* query = problem.queries(0) + head * shape.row_dim();
    double total = 0;
    double aimed = 0;
    double largest = 0;
    for (std::int64_t t = 0; t < 3000; ++t) {
      double score = 0;
      for (std::int64_t c = 0; c < shape.row_dim(); ++c) {
        score += bf16_to_float(query[c]) * original_value(8, 0, problem.slots().slot(0, t), c);
      }
      const double weight = std::exp(score * shape.k_scale * shape.softmax_scale);
      total += weight;
      largest = std::max(largest, weight);
      if (t == aim.token) aimed = weight;
    }
    switch (aim.kind) {
      case QueryKind::random:
        EXPECT_LT(largest / total, 0.1) << head;
        break;
      case QueryKind::peaked:
        EXPECT_NEAR(aimed / total, 0.95, 0.04) << head;
        break;
      case QueryKind::one_hot:
        EXPECT_GT(aimed / total, 1 - 1e-9) << head;
        break;
    }
  }
}

TEST_F(ProblemTest, GivesNewRowsInModelUnits) {
  Problem problem(pools_, step_shape(parameters()), 8);
  const std::int64_t slot = problem.slots().slot(1, 75);  // the middle one of three new tokens
  EXPECT_EQ(problem.new_slots()[4], slot);
  EXPECT_EQ(problem.new_rows(3)[4 * 576 + 9], float_to_bf16(0.37F * original_value(8, 3, slot, 9)));
}

}  // namespace
}  // namespace bench
