#include "results/history_series.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/results/sample_run.h"

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
  EXPECT_EQ(all[0].left_out.size(), 3u);
  ASSERT_EQ(all[0].points.size(), 2u);
  EXPECT_EQ(all[0].points[0].run, 4);
}

TEST(HistorySeries, LeavesOutARunThatSharedItsCpu) {
  std::vector<HistoryPoint> points{point(1, 1), point(2, 3, 0), point(2, 3, 1), point(3, 1)};
  points[0].others_cpu = 0.02;
  points[1].others_cpu = 0.05;
  points[2].others_cpu = 0.35;
  const auto all = series_of(points);
  ASSERT_EQ(all[0].left_out.size(), 1u);
  EXPECT_EQ(all[0].left_out[0].reason,
            "other processes used 20 % of the CPU (10 % at most can be judged)");
  EXPECT_EQ(all[0].points.size(), 2u);
  // And so it is read from a store, one case or a whole plan.
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  for (int night = 1; night <= 3; ++night) {
    RunRecord record = measured_run(1, 2);
    record.info.started_unix_s = 86400.0 * night;
    for (Measurement& m : record.measurements) {
      m.metrics.push_back({"others_cpu_share", night == 2 ? 0.3 : 0.01, 1});
    }
    store.add(record);
  }
  const std::string id = case_id(measured_run(1, 2).plan[0].what);
  EXPECT_EQ(series_of(history(store, id, "tpot_s"))[0].points.size(), 2u);
  EXPECT_EQ(series_of_plan(store, 3, "tpot_s")[0].points.size(), 2u);
}

TEST(HistorySeries, RelativeToAnotherIsOfTheRunsThatBothHave) {
  const auto of = [](std::vector<HistoryPoint> points) { return series_of(points).front(); };
  const HistorySeries relative = relative_series(of({point(1, 6), point(2, 8), point(4, 9)}),
                                                 of({point(1, 3), point(3, 5), point(4, 3)}));
  ASSERT_EQ(relative.points.size(), 2u);
  EXPECT_EQ(relative.points[0].value, 2);
  EXPECT_EQ(relative.points[1].run, 4);
  EXPECT_EQ(relative.points[1].value, 3);
}

TEST(HistorySeries, EndsWithTheRunAskedFor) {
  EXPECT_EQ(series_of(stepping(3, 3, 2), 4)[0].points.size(), 4u);
}

// A night of two contexts, of which the second failed in one replicate.
std::int64_t add_night(Store& store, int night, const std::string& name = "glm5") {
  RunRecord record = measured_run(2, 3);
  record.info.name = name;
  record.info.started_unix_s = 86400.0 * night;
  for (Measurement& m : record.measurements) m.metrics[0].value *= 1 + 0.01 * night;
  record.measurements[3].status = Status::timeout;
  record.measurements[3].reason = "silent for 600 s";
  return store.add(record);
}

TEST(HistorySeries, OfAPlanAreThoseOfItsCases) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  for (int night = 3; night >= 1; --night) add_night(store, night);  // stored in another order
  const std::int64_t newest = add_night(store, 4);
  const std::vector<HistorySeries> all = series_of_plan(store, newest, "tpot_s");
  const RunRecord run = load_run(store, newest, LoadSamples::no);
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto one = series_of(history(store, case_id(run.plan[i].what), "tpot_s")).front();
    ASSERT_EQ(all[i].points.size(), 4u);
    for (std::size_t p = 0; p < 4; ++p) {
      EXPECT_EQ(all[i].points[p].run, one.points[p].run);
      EXPECT_EQ(all[i].points[p].value, one.points[p].value);
      EXPECT_EQ(all[i].points[p].high, one.points[p].high);
      EXPECT_EQ(all[i].points[p].replicates, i == 1 ? 2 : 3);
    }
  }
  EXPECT_EQ(series_of_plan(store, newest, "tpot_s", 3)[0].points.size(), 3u);
  EXPECT_EQ(series_of_plan(store, newest, "goodput")[0].left_out.size(), 4u);
}

TEST(HistorySeries, LeaveOutSecondLooks) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const std::int64_t first = add_night(store, 1);
  add_night(store, 1, "glm5.confirm");
  add_night(store, 1, "glm5.confirm-before");
  const std::string id = case_id(measured_run().plan[0].what);
  EXPECT_EQ(history(store, id, "tpot_s").size(), 3u);
  EXPECT_EQ(series_of_plan(store, first, "tpot_s")[0].points.size(), 1u);
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
