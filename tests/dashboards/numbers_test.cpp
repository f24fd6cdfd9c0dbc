#include "dashboards/numbers.h"

#include <gtest/gtest.h>

#include <random>

#include "harness/format.h"

namespace bench {
namespace {

TEST(Numbers, ShowsFourSignificantDigits) {
  EXPECT_EQ(significant(95.6), "95.60");
  EXPECT_EQ(significant(0.212), "0.2120");
  EXPECT_EQ(significant(12345.6), "12346");
  EXPECT_EQ(significant(-0.04852), "-0.04852");
  EXPECT_EQ(significant(0), "0");
}

TEST(Numbers, WritesWhatIsBeyondAllReasonInShort) {
  EXPECT_EQ(significant(1e300), "1.000e+300");
  EXPECT_EQ(significant(-2.5e15), "-2.500e+15");
  EXPECT_EQ(significant(123456789012345.0), "123456789012345");
}

TEST(Numbers, AValueThatRoundsUpGetsNoFifthDigit) {
  EXPECT_EQ(significant(9.99996), "10.00");
  EXPECT_EQ(significant(999.97), "1000");
}

TEST(Numbers, WritesSmallChangesInPercentAndLargeOnesAsFactors) {
  EXPECT_EQ(change_text(74.1 / 95.6), "-22.5 %");
  EXPECT_EQ(change_text(1.041), "+4.1 %");
  EXPECT_EQ(change_text(0.2120 / 66.10), "312 x");
  EXPECT_EQ(change_text(0.5), "2.00 x");
  EXPECT_EQ(change_text(2.1), "2.10 x slower");
  EXPECT_EQ(change_text(1.0), "0.0 %");
}

TEST(Numbers, AChangeThatRoundsToNothingHasNoSign) { EXPECT_EQ(change_text(0.9999), "0.0 %"); }

TEST(Numbers, WritesAnIntervalInTheWordsOfItsChange) {
  EXPECT_EQ(interval_text(0.775, {0.769, 0.781}), "[-23.1, -21.9]");
  EXPECT_EQ(interval_text(1 / 312.0, {1 / 327.0, 1 / 298.0}), "[298, 327]");
  EXPECT_EQ(interval_text(3.0, {2.9, 3.1}), "[2.90, 3.10]");
}

TEST(Numbers, AChangeRecomputesFromTheTwoShownTimes) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-6, 1);
  for (int i = 0; i < 2000; ++i) {
    const double before = std::pow(10, exponent(random));
    const double after = before * (0.6 + 0.001 * (i % 800));
    const double before_shown = std::stod(milliseconds(before));
    const double after_shown = std::stod(milliseconds(after));
    const std::string expected = format("{:+.1f} %", (after_shown / before_shown - 1) * 100);
    if (expected == "+0.0 %" || expected == "-0.0 %") continue;
    EXPECT_EQ(change_text(shown_ratio(before, after)), expected) << before << " " << after;
  }
}

TEST(Numbers, TokensPerSecondRecomputeFromTheShownTime) {
  EXPECT_EQ(tokens_per_s(0.0956049), "10.46");
}

}  // namespace
}  // namespace bench
