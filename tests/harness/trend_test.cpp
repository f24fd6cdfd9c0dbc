#include "harness/trend.h"

#include <gtest/gtest.h>

#include "harness/error.h"

namespace bench {
namespace {

using Series = std::vector<std::vector<double>>;

TEST(CommonSlope, IsTheSlopeWithinTheSeriesAndNotBetweenThem) {
  EXPECT_DOUBLE_EQ(common_slope(Series{{1, 3, 5, 7, 9, 11}, {100, 102, 104, 106, 108}}), 2);
}

TEST(CommonSlope, IsNotMovedByAnOutlier) {
  EXPECT_DOUBLE_EQ(common_slope(Series{{0, 1, 2, 300, 4, 5, 6, 7}}), 1);
}

TEST(CommonSlope, OfAnAlternationIsFlat) {
  EXPECT_DOUBLE_EQ(common_slope(Series{{1, 2, 1, 2, 1, 2, 1, 2}}), 0);
}

TEST(CommonSlope, NeedsTwoValuesOfOneSeries) {
  EXPECT_THROW(common_slope(Series{{1}, {2}}), Error);
}

}  // namespace
}  // namespace bench
