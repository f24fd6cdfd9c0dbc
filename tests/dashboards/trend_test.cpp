#include "dashboards/trend.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

HistoryPoint point(std::int64_t run, std::int64_t replicate, double value) {
  return {.run = run,
          .run_id = "r",
          .started_unix_s = 86400.0 * static_cast<double>(run),
          .fingerprint = "box",
          .workload = "decode",
          .replicate = replicate,
          .value = value,
          .version = 1};
}

TEST(Trend, HasTheMedianAndTheRangeOfEachRun) {
  const std::vector<HistoryPoint> points{point(1, 0, 1), point(1, 1, 2), point(1, 2, 6)};
  const Trend trend = trend_of(series_of(points).front(), {});
  ASSERT_EQ(trend.points.size(), 1U);
  EXPECT_EQ(trend.points[0].run, "1");
  EXPECT_EQ(trend.points[0].value, 2);
  EXPECT_EQ(trend.points[0].low, 1);
  EXPECT_EQ(trend.points[0].high, 6);
}

TEST(Trend, KeepsARunWithoutAResultAsAGapWithItsReason) {
  std::vector<HistoryPoint> points{point(1, 0, 1), point(2, 0, 1), point(3, 0, 1)};
  points[1].status = Status::timeout;
  points[1].reason = "silent for 600 s";
  points[1].value.reset();
  const Trend trend = trend_of(series_of(points).front(), {});
  ASSERT_EQ(trend.points.size(), 3U);
  EXPECT_FALSE(trend.points[1].value);
  EXPECT_EQ(trend.points[1].reason, "timeout: silent for 600 s");
}

TEST(Trend, PlacesChangesAmongThePointsGapsIncluded) {
  std::vector<HistoryPoint> points{point(1, 0, 1), point(2, 0, 1), point(3, 0, 1), point(4, 0, 2)};
  points[1].status = Status::failed;
  points[1].value.reset();
  Changes changes;
  // The third point with a value.
  changes.changes.push_back({.begin = 2,
                             .end = 2,
                             .earliest = 2,
                             .latest = 2,
                             .before = 0,
                             .after = 0.6931471805599453,
                             .p = 0});
  Trend trend = trend_of(series_of(points).front(), changes);
  trend.metric = "tpot_s";
  ASSERT_EQ(trend.changes.size(), 1U);
  EXPECT_EQ(trend.changes[0].begin, 3U);
  EXPECT_DOUBLE_EQ(trend.changes[0].after, 2);
  EXPECT_EQ(change_words(trend, trend.changes[0]), "step at run 4 of 1970-01-05: x 2.00");
  EXPECT_TRUE(is_worse(trend, trend.changes[0]));
  trend.metric = "tokens_per_s";
  EXPECT_FALSE(is_worse(trend, trend.changes[0]));
}

TEST(Trend, WritesDatesInUtc) {
  EXPECT_EQ(date_text(0), "1970-01-01");
  EXPECT_EQ(date_text(1795899599), "2026-11-28");
}

TEST(Trend, WritesTimesInMilliseconds) {
  EXPECT_EQ(metric_text("tpot_s").title, "tpot, ms");
  EXPECT_EQ(metric_text("output_tokens_per_s").title, "output_tokens_per_s");
  EXPECT_EQ(metric_text("output_tokens_per_s").scale, 1);
}

}  // namespace
}  // namespace bench
