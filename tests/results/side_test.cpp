#include "results/side.h"

#include <gtest/gtest.h>

#include "tests/results/compared_runs.h"

namespace bench {
namespace {

const Side& only_side(const Sides& sides) { return sides.of.begin()->second; }

Reading read_tpot(const RunRecord& run, Role role) {
  return read(only_side(sides_of(run)), "tpot_s", role);
}

TEST(Reading, HasAValueAReplicateInOrder) {
  RunRecord run = run_of(kernel_case("native_fp8"), {3, 1, 2});
  std::swap(run.measurements[0], run.measurements[2]);
  const Reading reading = read_tpot(run, Role::candidate);
  EXPECT_FALSE(reading.fault);
  EXPECT_EQ(reading.values, (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(reading.replicates, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(Reading, OneIncorrectReplicateSpoilsTheCase) {
  RunRecord run = run_of(kernel_case("native_fp8"), {1, 1, 1});
  run.measurements[1].status = Status::incorrect;
  run.measurements[1].reason = "error 0.3";
  const Reading reading = read_tpot(run, Role::baseline);
  EXPECT_EQ(reading.fault, Word::invalid);
  EXPECT_EQ(reading.reason, "incorrect: error 0.3");
  EXPECT_TRUE(reading.values.empty());
}

TEST(Reading, AFailedReplicateSpoilsACandidateButNotABaseline) {
  RunRecord run = run_of(kernel_case("native_fp8"), {1, 1, 1});
  run.measurements[2].status = Status::crashed;
  run.measurements[2].reason = "signal 11";
  EXPECT_EQ(read_tpot(run, Role::candidate).fault, Word::invalid);
  EXPECT_EQ(read_tpot(run, Role::candidate).reason, "replicate 2 crashed: signal 11");
  EXPECT_FALSE(read_tpot(run, Role::baseline).fault);
  EXPECT_EQ(read_tpot(run, Role::baseline).values.size(), 2);
}

TEST(Reading, AReplicateThatNeverBeganIsMissingFromACandidate) {
  RunRecord run = run_of(kernel_case("native_fp8"), {1, 1, 1});
  run.measurements.pop_back();
  EXPECT_EQ(read_tpot(run, Role::candidate).fault, Word::missing);
  EXPECT_EQ(read_tpot(run, Role::candidate).reason, "2 of 3 replicates were measured");
}

TEST(Reading, ACaseThatWasPlannedAndNeverMeasuredIsMissing) {
  RunRecord run = run_of(kernel_case("native_fp8"), {1});
  run.measurements.clear();
  EXPECT_EQ(read_tpot(run, Role::baseline).fault, Word::missing);
}

TEST(Disturbed, ByTheMeanOfWhatOthersHadOfTheCpu) {
  RunRecord run = run_of(kernel_case("native_fp8"), {1, 1, 1});
  EXPECT_EQ(disturbed(run), "");  // of a GPU nothing is said
  const auto set = [&](std::size_t i, double share) {
    run.measurements[i].metrics.push_back({"others_cpu_share", share});
  };
  set(0, 0.02);
  set(1, 0.26);
  EXPECT_EQ(disturbed(run),
            "other processes used 14 % of the CPU (10 % at most can be judged) in 1 of 1 cases");
  set(2, 0.0);
  EXPECT_EQ(disturbed(run), "");
}

TEST(Reading, NeverMixesVersionsOfADefinition) {
  RunRecord run = run_of(kernel_case("native_fp8"), {1, 1});
  run.measurements[1].metrics[0].version = 2;
  EXPECT_EQ(read_tpot(run, Role::baseline).fault, Word::invalid);
}

TEST(Sides, LeavesOutWhatWasSkippedAndControlsThatWereCaught) {
  RunRecord run = run_of(kernel_case("native_fp8"), {1});
  run.plan.push_back({kernel_case("gather_cast"), "decode", {}, "", false, 1, "too large"});
  add_case(run, kernel_case("inplace_cast"), {1});
  run.measurements.back().status = Status::incorrect;
  run.measurements.back().negative_control = true;
  EXPECT_EQ(sides_of(run).of.size(), 1);
  // One that was not caught stays, and is invalid.
  run.measurements.back().status = Status::ok;
  const Sides sides = sides_of(run);
  ASSERT_EQ(sides.order.size(), 2);
  const Reading reading = read(sides.of.at(sides.order[1]), "tpot_s", Role::candidate);
  EXPECT_EQ(reading.fault, Word::invalid);
  EXPECT_NE(reading.reason.find("negative control"), std::string::npos);
}

TEST(Clock, IsTheMedianOfTheSamplesElseOfTelemetry) {
  Measurement m;
  EXPECT_FALSE(clock_of(m));
  m.telemetry.sm_clock_hz = 1.5e9;
  EXPECT_EQ(clock_of(m), 1.5e9);
  m.sample_clock_hz = {1.8e9, 1.9e9, 1.7e9};
  EXPECT_EQ(clock_of(m), 1.8e9);
}

TEST(Clock, FollowsFromCyclesAndTimeAndTheOtherWayRound) {
  Measurement m;
  m.metrics = {{"tpot_s", 0.01, 1}};
  EXPECT_FALSE(cycles_of(m));
  m.telemetry.sm_clock_hz = 1.5e9;
  EXPECT_EQ(cycles_of(m), 1.5e7);
  m.telemetry.sm_clock_hz.reset();
  m.metrics.push_back({"step_cycles", 2e7, 1});
  EXPECT_EQ(cycles_of(m), 2e7);
  EXPECT_EQ(clock_of(m), 2e9);
}

}  // namespace
}  // namespace bench
