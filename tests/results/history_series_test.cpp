#include "results/history_series.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bench {
namespace {

HistoryPoint point(std::int64_t run, double value, std::int64_t replicate = 0) {
  return {.run = run,
          .run_id = "r" + std::to_string(run),
          .started_unix_s = static_cast<double>(run),
          .fingerprint = "here",
          .workload = "decode",
          .replicate = replicate,
          .status = Status::ok,
          .reason = {},
          .value = value,
          .version = 1};
}

// Nights 1, 2, ... of `before` and then `after`, which alternate by 0.1 %.
std::vector<HistoryPoint> stepping(std::int64_t before, std::int64_t after, double ratio) {
  std::vector<HistoryPoint> points;
  for (std::int64_t run = 1; run <= before + after; ++run) {
    points.push_back(point(run, (run > before ? ratio : 1) * (run % 2 == 0 ? 1.001 : 0.999)));
  }
  return points;
}

TEST(HistorySeries, TakesTheMedianOfTheReplicatesThatEndedWell) {
  std::vector<HistoryPoint> points{point(1, 3, 0), point(1, 1, 1), point(1, 2, 2), point(1, 99, 3)};
  points[3].status = Status::invalid;
  const auto all = series_of(points);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].points.size(), 1u);
  EXPECT_EQ(all[0].points[0].value, 2);
  EXPECT_EQ(all[0].points[0].replicates, 3);
}

TEST(HistorySeries, LeavesOutOtherMachinesOtherDefinitionsAndRunsWithoutAResult) {
  std::vector<HistoryPoint> points{point(1, 1), point(2, 1), point(3, 1), point(4, 1), point(5, 1)};
  points[0].fingerprint = "another machine";
  points[1].version = 0;
  points[2].value.reset();
  const auto all = series_of(points);
  EXPECT_EQ(all[0].left_out, 3);
  ASSERT_EQ(all[0].points.size(), 2u);
  EXPECT_EQ(all[0].points[0].run, 4);
}

TEST(HistorySeries, EndsWithTheRunAskedFor) {
  EXPECT_EQ(series_of(stepping(3, 3, 2), 4)[0].points.size(), 4u);
}

TEST(HistorySeries, WorkloadsAreApart) {
  std::vector<HistoryPoint> points{point(1, 1), point(1, 2)};
  points[1].workload = "pool_size";
  EXPECT_EQ(series_of(points).size(), 2u);
}

TEST(WorsenedSince, FindsAStepAfterTheRunAndNotBefore) {
  const HistorySeries series = series_of(stepping(20, 20, 1.02))[0];
  const Changes changes = changes_of(series);
  const auto found = worsened_since(series, changes, 5, Better::lower, 0.01);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->ratio, 1.02, 0.001);
  EXPECT_EQ(series.points[found->change.begin].run, 21);
  EXPECT_FALSE(worsened_since(series, changes, 30, Better::lower, 0.01));
  EXPECT_FALSE(worsened_since(series, changes, 5, Better::lower, 0.03));
  EXPECT_FALSE(worsened_since(series, changes, 5, Better::higher, 0.01));
}

TEST(WorsenedSince, OfARateIsAFall) {
  const HistorySeries series = series_of(stepping(20, 20, 0.95))[0];
  const Changes changes = changes_of(series);
  EXPECT_NEAR(worsened_since(series, changes, 1, Better::higher, 0.01)->ratio, 0.95, 0.001);
  EXPECT_FALSE(worsened_since(series, changes, 1, Better::lower, 0.01));
}

TEST(WorsenedSince, WhatRecoveredIsNoWorse) {
  std::vector<HistoryPoint> points = stepping(20, 20, 1.05);
  for (std::int64_t run = 41; run <= 60; ++run) {
    points.push_back(point(run, run % 2 == 0 ? 1.001 : 0.999));
  }
  const HistorySeries series = series_of(points)[0];
  const Changes changes = changes_of(series);
  EXPECT_EQ(changes.changes.size(), 2u);
  EXPECT_FALSE(worsened_since(series, changes, 1, Better::lower, 0.01));
}

TEST(WorsenedSince, TenNightsOfHalfAPercentAreADriftWithItsSlope) {
  std::vector<HistoryPoint> points = stepping(20, 0, 1);
  for (std::int64_t run = 21; run <= 30; ++run) {
    points.push_back(point(
        run, std::pow(1.005, static_cast<double>(run - 20)) * (run % 2 == 0 ? 1.001 : 0.999)));
  }
  const HistorySeries series = series_of(points)[0];
  const auto found = worsened_since(series, changes_of(series), 1, Better::lower, 0.01);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->change.is_drift());
  EXPECT_NEAR(found->change.slope(), 0.005, 0.0007);
  EXPECT_NEAR(found->ratio, 1.051, 0.004);
}

TEST(HistoryJson, NamesTheRunAtWhichEachChangeBegan) {
  const HistorySeries series = series_of(stepping(20, 20, 1.02))[0];
  const std::string json = history_json(series, changes_of(series), "c0ffee", "tpot_s");
  EXPECT_EQ(json.rfind(R"({"schema_version":1,"case":"c0ffee","metric":"tpot_s","unit":"s",)", 0),
            0u)
      << json;
  EXPECT_NE(json.find(R"("changes":[{"kind":"step","run":21,)"), std::string::npos) << json;
}

}  // namespace
}  // namespace bench
