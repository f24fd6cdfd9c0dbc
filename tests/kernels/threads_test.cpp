#include "kernels/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace bench {
namespace {

TEST(Threads, CallsTheBodyOnceForEachIndex) {
  for (const int count : {1, 2, 5}) {
    Threads threads(count);
    std::vector<std::atomic<int>> calls(1000);
    for (int round = 0; round < 200; ++round) {
      threads.for_each(1000, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& c : calls) ASSERT_EQ(c, round + 1);
    }
  }
}

TEST(Threads, DoesNothingForAnEmptyLoop) {
  Threads threads(3);
  threads.for_each(0, [](std::int64_t) { FAIL(); });
  threads.for_ranges(0, 64, [](std::int64_t, std::int64_t) { FAIL(); });
}

TEST(Threads, CutsRangesAtTheGrainWithoutGapOrOverlap) {
  Threads threads(3);
  for (const std::int64_t count : {1, 63, 64, 65, 4097, 100'000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
    threads.for_ranges(count, 64, [&](std::int64_t begin, std::int64_t end) {
      EXPECT_EQ(begin % 64, 0);
      for (std::int64_t i = begin; i < end; ++i) ++calls[static_cast<std::size_t>(i)];
    });
    for (const auto& c : calls) ASSERT_EQ(c, 1) << count;
  }
}

TEST(Threads, FindsAtLeastOneCore) { EXPECT_GE(available_cores(), 1); }

}  // namespace
}  // namespace bench
