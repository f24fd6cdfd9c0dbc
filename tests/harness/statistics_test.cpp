#include "harness/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "harness/error.h"

namespace bench {
namespace {

using Values = std::vector<double>;

TEST(Median, TakesTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median(Values{3, 1, 2}), 2);
  EXPECT_EQ(median(Values{4, 1, 2, 3}), 2.5);
  EXPECT_THROW(median(Values{}), Error);
}

TEST(Percentile, InterpolatesLinearly) {
  const Values values{10, 20, 30, 40, 50};
  EXPECT_EQ(percentile(values, 0), 10);
  EXPECT_EQ(percentile(values, 0.25), 20);
  EXPECT_EQ(percentile(values, 0.9), 46);
  EXPECT_EQ(percentile(values, 1), 50);
}

TEST(StandardDeviation, KeepsTinySpreadsOfLargeValues) {
  const Values values{1.000000001, 1.000000003, 1.000000002, 1.000000001, 1.000000003};
  EXPECT_NEAR(standard_deviation(values), 1e-9, 1e-15);
  EXPECT_THROW(standard_deviation(Values{1}), Error);
}

TEST(MedianInterval, UsesTheOrderStatisticsOfTheBinomial) {
  Values values(10);
  std::iota(values.begin(), values.end(), 1);
  // n = 10: P(X < 2) = 1.07 %, P(X < 3) = 5.5 %, so the second and the ninth value.
  EXPECT_EQ(median_interval(values).low, 2);
  EXPECT_EQ(median_interval(values).high, 9);
}

TEST(MedianInterval, IsTheWholeRangeWhenTooFewValuesExist) {
  EXPECT_EQ(median_interval(Values{5, 1, 3}).low, 1);
  EXPECT_EQ(median_interval(Values{5, 1, 3}).high, 5);
}

TEST(MedianInterval, SurvivesThousandsOfValues) {
  Values values(100000);
  std::iota(values.begin(), values.end(), 0);
  const Interval interval = median_interval(values);
  EXPECT_NEAR(interval.high - interval.low, 2 * 1.96 * std::sqrt(100000) / 2, 4);
}

TEST(RelativeError, IsUnknownBelowSixValues) {
  EXPECT_TRUE(std::isinf(relative_error(Values{1, 1, 1, 1, 1})));
  EXPECT_EQ(relative_error(Values{1, 1, 1, 1, 1, 1}), 0);
  EXPECT_DOUBLE_EQ(relative_error(Values{9, 10, 10, 10, 10, 11}), 0.1);
}

TEST(FitLine, FindsSlopeAndShareExplained) {
  const Line exact = fit_line(Values{1, 2, 3}, Values{3, 5, 7});
  EXPECT_DOUBLE_EQ(exact.slope, 2);
  EXPECT_DOUBLE_EQ(exact.intercept, 1);
  EXPECT_DOUBLE_EQ(exact.r2, 1);
  EXPECT_DOUBLE_EQ(fit_line(Values{0, 1, 2, 3}, Values{1, 0, 1, 0}).r2, 0.2);
  EXPECT_THROW(fit_line(Values{1, 1}, Values{1, 2}), Error);
}

TEST(StudentT, QuantileInvertsTheProbabilityFarIntoTheTails) {
  for (const double degrees : {1.0, 2.5, 7.0, 14.0, 300.0}) {
    for (const double probability : {0.5001, 0.6, 0.975, 0.9999, 1 - 1e-9}) {
      const double t = student_t_quantile(probability, degrees);
      EXPECT_NEAR(student_t_probability(-t, degrees) / (1 - probability), 1, 1e-6)
          << degrees << " degrees, " << probability;
    }
  }
}

TEST(NormalQuantile, AgreesWithPrintedTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.0001), -3.719016, 1e-6);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-9);
  EXPECT_THROW(normal_quantile(0), Error);
}

TEST(StudentT, AgreesWithPrintedTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.30265, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 7), 2.36462, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 1000), 1.96234, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.025, 2), -4.30265, 1e-5);
  EXPECT_NEAR(student_t_probability(2.36462, 7), 0.975, 1e-6);
  EXPECT_THROW(student_t_quantile(1, 5), Error);
}

}  // namespace
}  // namespace bench
