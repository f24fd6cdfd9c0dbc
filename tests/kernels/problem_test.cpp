#include "kernels/problem.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace bench
