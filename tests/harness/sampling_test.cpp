#include "harness/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace bench {
namespace {

// A step that returns scripted times and notes that it ran.
TimedStep scripted(std::vector<double> seconds, int& runs) {
  return [seconds = std::move(seconds), &runs] {
    const std::size_t i = std::min<std::size_t>(runs++, seconds.size() - 1);
    return Seconds(seconds[i]);
  };
}

Sampling quick() { return {.min_samples = 10, .max_samples = 50}; }

TEST(Sample, StopsAtTheFewestSamplesWhenTheMedianIsKnown) {
  std::mt19937_64 random(1);
  int runs = 0;
  const auto result = sample(quick(), {scripted({1.0}, runs)}, random);
  EXPECT_EQ(result[0].seconds.size(), 10U);
  EXPECT_EQ(result[0].stopped_by, "relative_error");
  EXPECT_EQ(result[0].warm_up_count, 8);
}

TEST(Sample, KeepsGoingWhileTheMedianIsNotKnown) {
  std::mt19937_64 random(1);
  int runs = 0;
  const TimedStep noisy = [&] { return Seconds(runs++ % 2 == 0 ? 1.0 : 1.2); };
  Sampling rule = quick();
  rule.max_warm_up = Seconds(0);
  const auto result = sample(rule, {noisy}, random);
  EXPECT_EQ(result[0].seconds.size(), 50U);
  EXPECT_EQ(result[0].stopped_by, "max_samples");
  EXPECT_EQ(result[0].warm_up_count, 2);
}

TEST(Sample, StopsAtTheTimeLimitButNotBeforeTheFewestSamples) {
  std::mt19937_64 random(1);
  int runs = 0;
  Sampling rule = quick();
  rule.max_time = Seconds(0);
  const auto result = sample(rule, {scripted({1.0}, runs)}, random);
  EXPECT_EQ(result[0].seconds.size(), 10U);
  EXPECT_EQ(result[0].stopped_by, "max_time");
}

TEST(Sample, WarmsUpUntilTheHalvesAgree) {
  std::mt19937_64 random(1);
  int runs = 0;
  const auto result = sample(quick(), {scripted({9, 8, 7, 6, 5, 4, 3, 2, 1}, runs)}, random);
  // The first window whose halves agree holds at most two values above one in its early half.
  EXPECT_EQ(result[0].warm_up_count, 15);
  for (const double seconds : result[0].seconds) EXPECT_EQ(seconds, 1);
}

TEST(Sample, InterleavesTheStepsInShuffledOrder) {
  std::mt19937_64 random(7);
  std::string order;
  const auto slow = [&order](char name) {
    return [&order, name] {
      order += name;
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(21);
      while (std::chrono::steady_clock::now() < until) continue;  // fills its turn in one sample
      return Seconds(1);
    };
  };
  Sampling rule{.min_samples = 8, .max_samples = 8};
  rule.max_warm_up = Seconds(0);
  sample(rule, {slow('a'), slow('b'), slow('c')}, random);
  ASSERT_EQ(order.size(), 6U + 24U);
  std::set<std::string> rounds;
  for (std::size_t i = 6; i < order.size(); i += 3) {
    std::string round = order.substr(i, 3);
    rounds.insert(round);
    std::ranges::sort(round);
    EXPECT_EQ(round, "abc");
  }
  EXPECT_GT(rounds.size(), 2U);
}

}  // namespace
}  // namespace bench
