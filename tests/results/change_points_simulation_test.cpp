// The error rates of find_changes, on fewer series than micro_change_points takes.

#include <gtest/gtest.h>

#include "tests/results/change_point_rates.h"

namespace bench {
namespace {

constexpr std::size_t kSeries = 60;

TEST(ChangePoints, FlatSeriesOfAnyNoiseShowHardlyAny) {
  for (const char* row : {"flat", "heavy_tails", "bimodal", "spike"}) {
    EXPECT_LE(rates_of(row, kSeries, 7).with_false_point, 0.04) << row;
  }
  EXPECT_LE(rates_of("autocorrelated", kSeries, 7).with_false_point, 0.08);
}

TEST(ChangePoints, StepsAreFoundWhereTheyAre) {
  EXPECT_GE(rates_of("step_2", kSeries, 7).recall, 0.9);
  EXPECT_GE(rates_of("step_5", kSeries, 7).recall, 0.98);
  EXPECT_LE(rates_of("step_5", kSeries, 7).with_false_point, 0.05);
  EXPECT_GE(rates_of("up_and_down", kSeries, 7).recall, 0.9);
}

TEST(ChangePoints, ADriftIsADriftAndNotARowOfSteps) {
  EXPECT_GE(rates_of("drift", kSeries, 7).one_drift, 0.95);
  EXPECT_GE(rates_of("ten_nights", kSeries, 7).one_drift, 0.95);
  EXPECT_GE(rates_of("last_ten", kSeries, 7).one_drift, 0.95);
}

}  // namespace
}  // namespace bench
