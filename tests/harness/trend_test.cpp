#include "harness/trend.h"

#include <gtest/gtest.h>

#include "harness/error.h"

namespace bench {
namespace {

using Series = std::vector<std::vector<double>>;

TEST(CommonTrend, IsTheSlopeWithinTheSeriesAndNotBetweenThem) {
  const Trend trend = common_trend(Series{{1, 3, 5, 7, 9, 11}, {100, 102, 104, 106, 108}}, 0.05);
  EXPECT_DOUBLE_EQ(trend.slope, 2);
  EXPECT_DOUBLE_EQ(trend.interval.low, 2);
  EXPECT_DOUBLE_EQ(trend.interval.high, 2);
  EXPECT_NEAR(trend.p, 0.000347, 1e-6);  // z = 24 / sqrt(45)
}

TEST(CommonTrend, IsNotMovedByAnOutlier) {
  const Trend trend = common_trend(Series{{0, 1, 2, 300, 4, 5, 6, 7}}, 0.05);
  EXPECT_DOUBLE_EQ(trend.slope, 1);
  EXPECT_LT(trend.p, 0.02);
}

TEST(CommonTrend, SeesNoneInAnAlternation) {
  const Trend trend = common_trend(Series{{1, 2, 1, 2, 1, 2, 1, 2}}, 0.05);
  EXPECT_LE(trend.interval.low, 0);
  EXPECT_GE(trend.interval.high, 0);
  EXPECT_GT(trend.p, 0.3);
}

TEST(CommonTrend, HasKendallsNormalP) {
  // Eight values in order: 28 rising pairs, z = 27 / sqrt(8 x 7 x 21 / 18) = 3.3405.
  EXPECT_NEAR(common_trend(Series{{1, 2, 3, 4, 5, 6, 7, 8}}, 0.05).p, 0.000836, 1e-6);
}

TEST(CommonTrend, NeedsTwoValuesOfOneSeries) {
  EXPECT_THROW(common_trend(Series{{1}, {2}}, 0.05), Error);
}

}  // namespace
}  // namespace bench
