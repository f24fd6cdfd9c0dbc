#include "harness/rank_shift.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <vector>

#include "harness/error.h"

namespace bench {
namespace {

using Values = std::vector<double>;

// 1..count, each raised by `shift`.
Values sequence(std::size_t count, double shift = 0) {
  Values values(count);
  std::iota(values.begin(), values.end(), 1 + shift);
  return values;
}

TEST(RankShift, KnowsTheSmallestPOfIndependentSamples) {
  // 2 / C(2n, n).
  EXPECT_NEAR(RankShift::unpaired(sequence(3), sequence(3)).smallest_p(), 0.1, 1e-12);
  EXPECT_NEAR(RankShift::unpaired(sequence(4), sequence(4)).smallest_p(), 2.0 / 70, 1e-12);
  EXPECT_NEAR(RankShift::unpaired(sequence(8), sequence(8)).smallest_p(), 2.0 / 12870, 1e-15);
  EXPECT_NEAR(RankShift::unpaired(sequence(3), sequence(5)).smallest_p(), 2.0 / 56, 1e-12);
}

TEST(RankShift, KnowsTheSmallestPOfPairs) {
  EXPECT_NEAR(RankShift::paired(sequence(8), sequence(8)).smallest_p(), 2.0 / 256, 1e-12);
}

TEST(RankShift, AgreesWithTheTablesOfMannAndWhitney) {
  // One of the 64 pairs out of order: 2 x (1 + 1) of the 12,870 orderings.
  Values b = sequence(8, 8);
  EXPECT_NEAR(RankShift::unpaired(sequence(8), b).p(), 2.0 / 12870, 1e-15);
  b[0] = 7.5;
  EXPECT_NEAR(RankShift::unpaired(sequence(8), b).p(), 4.0 / 12870, 1e-15);
  // Before 3, 5 and 7 stand 2, 3 and 4 of the other side: U = 9, or 6 from the other end, and
  // 1 + 1 + 2 + 3 + 4 + 5 + 6 = 22 of the 56 orderings have that or less.
  const Values a{3, 5, 7};
  EXPECT_NEAR(RankShift::unpaired(a, Values{1, 2, 4, 6, 8}).p(), 2 * 22.0 / 56, 1e-12);
}

TEST(RankShift, AgreesWithTheTablesOfWilcoxon) {
  // Differences 1, -2, 3, 4, 5: the negative ranks sum to 2, as do 3 of the 32 sign patterns or
  // fewer (0; 1; 2).
  const Values a(5, 0);
  EXPECT_NEAR(RankShift::paired(a, Values{1, -2, 3, 4, 5}).p(), 2 * 3.0 / 32, 1e-12);
}

TEST(RankShift, CountsTiesAgainstAShift) {
  const Values same(8, 5);
  EXPECT_EQ(RankShift::unpaired(same, same).p(), 1);
  EXPECT_EQ(RankShift::paired(same, same).p(), 1);
  // Eight ties of 64 differences stand as four on the wrong side.
  Values b = sequence(8, 7);
  EXPECT_NEAR(RankShift::unpaired(sequence(8), b).p(), 4.0 / 12870, 1e-15);
}

TEST(RankShift, GivesNoIntervalWhenTooFewValuesExist) {
  EXPECT_FALSE(RankShift::unpaired(sequence(3), sequence(3)).interval(0.05));
  EXPECT_TRUE(RankShift::unpaired(sequence(4), sequence(4)).interval(0.05));
  EXPECT_FALSE(RankShift::paired(sequence(5), sequence(5)).interval(0.05));
  EXPECT_TRUE(RankShift::paired(sequence(6), sequence(6)).interval(0.05));
}

TEST(RankShift, IntervalDropsAsManyDifferencesAsTheLevelAllows) {
  // n = m = 8: P(U <= 13) x 2 = 4.988 %, so the 14th of the 64 differences from each end; those of
  // 1..8 and 1..8 are -7 once, -6 twice, -5 thrice, -4 four times (10), -3 five times (15).
  const auto shift = RankShift::unpaired(sequence(8), sequence(8));
  EXPECT_EQ(shift.interval(0.05)->low, -3);
  EXPECT_EQ(shift.interval(0.05)->high, 3);
  // At the smallest p only the outermost may go: the interval is the whole range.
  EXPECT_EQ(shift.interval(2.0 / 12870)->low, -7);
  EXPECT_FALSE(shift.interval(1.9 / 12870));
  EXPECT_EQ(shift.interval(1)->low, shift.interval(1)->high);
}

TEST(RankShift, EstimateIgnoresAnOutlier) {
  Values b = sequence(8, 100);
  b[0] = 1e9;
  const auto shift = RankShift::unpaired(sequence(8), b);
  EXPECT_NEAR(shift.estimate(), 100, 1);
  EXPECT_LE(shift.interval(0.05)->high, 105);
  EXPECT_NEAR(RankShift::paired(sequence(8), b).estimate(), 100, 1e-9);
}

TEST(RankShift, LargeSamplesContinueTheExactOnes) {
  // 100 x 100 differences and 140 pairs are counted exactly, 101 x 101 and 141 are not.
  const auto unpaired = [](std::size_t size, double shift) {
    return RankShift::unpaired(sequence(size), sequence(size, shift)).p();
  };
  EXPECT_LT(unpaired(101, 20), unpaired(100, 19));
  EXPECT_GT(unpaired(101, 20), unpaired(100, 21));
  const auto paired = [](std::size_t size, double shift) {
    return RankShift::paired(Values(size, 0), sequence(size, shift - static_cast<double>(size) / 2))
        .p();
  };
  EXPECT_LT(paired(141, 10), paired(140, 9));
  EXPECT_GT(paired(141, 10), paired(140, 11));
}

TEST(RankShift, RefusesPairsThatDoNotMatch) {
  EXPECT_THROW(RankShift::paired(sequence(3), sequence(4)), Error);
  EXPECT_THROW(RankShift::unpaired(Values{}, sequence(4)), Error);
}

}  // namespace
}  // namespace bench
