#include "results/attribution.h"

#include <gtest/gtest.h>

#include "tests/results/compared_runs.h"

namespace bench {
namespace {

struct Stage {
  std::string name;
  double seconds;
  double bytes;
};

// A run of 8 replicates whose stages scatter like its steps; `rest_s` is in no stage.
RunRecord run_of_stages(const std::vector<Stage>& stages, double rest_s, double clock_hz = 0) {
  double sum = rest_s;
  for (const Stage& stage : stages) sum += stage.seconds;
  RunRecord run = run_of(kernel_case("gather_cast"), steps(sum));
  for (Measurement& m : run.measurements) {
    const double scatter = *m.metric("tpot_s") / sum;
    for (const Stage& stage : stages) {
      m.stages.push_back({stage.name, stage.seconds * scatter, stage.bytes});
    }
    if (clock_hz > 0) m.telemetry.sm_clock_hz = clock_hz;
  }
  return run;
}

std::vector<StageChange> attribute_runs(const RunRecord& before, const RunRecord& after) {
  const Sides a = sides_of(before);
  const Sides b = sides_of(after);
  return attribute(a.of.begin()->second, b.of.begin()->second, false);
}

TEST(Attribution, FindsTheStageAndAddsUpToTheWhole) {
  const auto changes =
      attribute_runs(run_of_stages({{"cast", 0.010, 1e9}, {"attention", 0.030, 3e9}}, 0.002),
                     run_of_stages({{"cast", 0.013, 1e9}, {"attention", 0.030, 3e9}}, 0.002));
  ASSERT_EQ(changes.size(), 3);
  EXPECT_EQ(changes[0].stage, "cast");
  EXPECT_NEAR(changes[0].change_s, 0.003, 1e-9);
  EXPECT_GT(changes[0].interval->low, 0.0029);
  EXPECT_LT(changes[0].interval->high, 0.0031);
  EXPECT_EQ(changes[0].cause, Cause::bandwidth);
  EXPECT_EQ(changes[0].explanation, "76.92 GB/s instead of 100.0 GB/s");
  EXPECT_LT(changes[1].interval->low, 0);
  EXPECT_EQ(changes[1].cause, Cause::none);
  EXPECT_EQ(changes[2].stage, "unattributed");
  EXPECT_NEAR(changes[2].change_s, 0, 1e-9);
  EXPECT_NEAR(changes[0].change_s + changes[1].change_s + changes[2].change_s, 0.003, 1e-12);
}

TEST(Attribution, MoreBytesExplainMoreTime) {
  const auto changes = attribute_runs(run_of_stages({{"cast", 0.010, 1e9}}, 0.002),
                                      run_of_stages({{"cast", 0.020, 2e9}}, 0.002));
  EXPECT_EQ(changes[0].cause, Cause::bytes);
  EXPECT_EQ(changes[0].explanation, "2.000 GB instead of 1.000 GB");
}

TEST(Attribution, ALowerClockExplainsTheSameCycles) {
  const auto changes = attribute_runs(run_of_stages({{"attention", 0.010, 1e9}}, 0, 1.8e9),
                                      run_of_stages({{"attention", 0.012, 1e9}}, 0, 1.5e9));
  EXPECT_EQ(changes[0].cause, Cause::clock);
  EXPECT_EQ(changes[0].explanation, "SM clock 1500 instead of 1800 MHz");
}

TEST(Attribution, AStageOfOneSideChangesByAllOfItself) {
  const auto changes =
      attribute_runs(run_of_stages({{"cast", 0.064, 66e9}, {"attention", 0.030, 3e9}}, 0),
                     run_of_stages({{"attention", 0.030, 3e9}}, 0));
  EXPECT_EQ(changes[0].stage, "cast");
  EXPECT_NEAR(changes[0].change_s, -0.064, 1e-9);
  EXPECT_LT(changes[0].interval->high, -0.06);
  EXPECT_EQ(changes[0].candidate_s, 0);
}

TEST(Attribution, WhatNoStageHoldsIsUnattributed) {
  const auto changes = attribute_runs(run_of_stages({{"attention", 0.030, 3e9}}, 0.002),
                                      run_of_stages({{"attention", 0.030, 3e9}}, 0.007));
  EXPECT_NEAR(changes[1].change_s, 0.005, 1e-9);
  EXPECT_GT(changes[1].interval->low, 0.0049);
}

TEST(Attribution, NoStagesNoSplit) {
  EXPECT_TRUE(attribute_runs(run_of_stages({}, 0.01), run_of_stages({}, 0.02)).empty());
}

}  // namespace
}  // namespace bench
