#include "results/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/results/compared_runs.h"

namespace bench {
namespace {

TEST(Compare, FindsTheSlowerCaseAndExitsWithARegression) {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.010));
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.0103));
  add_case(before, kernel_case("gather_cast"), steps(0.020));
  add_case(after, kernel_case("gather_cast"), steps(0.020));
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.rows.size(), 2);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::regressed);
  EXPECT_EQ(comparison.rows[0].label, "context 4k");
  EXPECT_NEAR(comparison.rows[0].evidence->ratio, 1.03, 1e-9);
  EXPECT_EQ(comparison.rows[1].verdict.word, Word::unchanged);
  EXPECT_EQ(comparison.exit(false), Exit::regression);
}

TEST(Compare, ShownFiguresRecompute) {
  const Comparison comparison =
      compare(run_of(kernel_case("a"), steps(0.0956)), run_of(kernel_case("a"), steps(0.0741)));
  const Evidence& e = *comparison.rows[0].evidence;
  EXPECT_DOUBLE_EQ(e.candidate / e.baseline, e.ratio);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::improved);
  EXPECT_EQ(comparison.exit(true), Exit::ok);
}

TEST(Compare, ACaseOfOneSideIsMissing) {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.010));
  RunRecord after = before;
  add_case(after, kernel_case("gather_cast"), steps(0.020));
  Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.rows[1].verdict.word, Word::missing);
  EXPECT_EQ(comparison.rows[1].verdict.reason, "only in the candidate");
  EXPECT_EQ(comparison.exit(false), Exit::unjudged);
  comparison = compare(after, before);
  EXPECT_EQ(comparison.rows[1].verdict.reason, "only in the baseline");
}

TEST(Compare, FailuresSayTheSide) {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.010));
  RunRecord after = before;
  after.measurements[3].status = Status::timeout;
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::invalid);
  EXPECT_EQ(comparison.rows[0].verdict.reason, "candidate: replicate 3 timeout");
  EXPECT_TRUE(comparison.rows[0].evidence);  // the numbers are shown all the same
  EXPECT_EQ(comparison.exit(false), Exit::unjudged);
}

TEST(Compare, WhatNeitherSideSupportsIsNoRow) {
  RunRecord before = run_of(kernel_case("native_fp8"), {0.01});
  before.measurements[0].status = Status::skipped;
  EXPECT_TRUE(compare(before, before).rows.empty());
  EXPECT_EQ(compare(before, before).exit(false), Exit::unjudged);  // nothing is no pass
  const RunRecord after = run_of(kernel_case("native_fp8"), {0.01});
  EXPECT_EQ(compare(before, after).rows[0].verdict.word, Word::missing);
}

TEST(Compare, RefusesAnotherMachineUnlessAsked) {
  const RunRecord before = run_of(kernel_case("native_fp8"), steps(0.010));
  RunRecord after = before;
  after.environment[0].value = "B200";
  const Comparison refused = compare(before, after);
  EXPECT_TRUE(refused.rows.empty());
  EXPECT_EQ(refused.refused, "the machines differ: gpu0.model (H200, now B200)");
  EXPECT_EQ(refused.exit(false), Exit::unjudged);
  const Comparison marked =
      compare(before, after, {.asked = {}, .workload = {}, .across_machines = true});
  EXPECT_EQ(marked.rows.size(), 1);
  EXPECT_EQ(marked.marked, refused.refused);
}

TEST(Compare, NeverMixesVersionsOfADefinition) {
  const RunRecord before = run_of(kernel_case("native_fp8"), steps(0.010));
  RunRecord after = before;
  for (Measurement& m : after.measurements) m.metrics[0].version = 2;
  EXPECT_EQ(compare(before, after).rows[0].verdict.word, Word::invalid);
}

TEST(Compare, AChangeThatVanishesInCyclesIsOneOfTheClock) {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.010));
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.012));
  for (Measurement& m : before.measurements) m.telemetry.sm_clock_hz = 1.8e9;
  for (Measurement& m : after.measurements) m.telemetry.sm_clock_hz = 1.5e9;
  Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::invalid);
  EXPECT_NE(comparison.rows[0].verdict.reason.find("clock"), std::string::npos);
  // At the same clock it is a regression.
  for (Measurement& m : after.measurements) m.telemetry.sm_clock_hz = 1.8e9;
  comparison = compare(before, after);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::regressed);
  // A step bound by memory takes its time at any clock: no alarm, whatever the cycles.
  after = before;
  for (Measurement& m : after.measurements) m.telemetry.sm_clock_hz = 1.5e9;
  EXPECT_EQ(compare(before, after).rows[0].verdict.word, Word::unchanged);
}

TEST(Compare, StrictDoesNotPassAnInconclusiveRow) {
  const RunRecord run = run_of(kernel_case("native_fp8"), steps(0.010, 3));
  const Comparison comparison = compare(run, run);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::inconclusive);
  EXPECT_EQ(comparison.exit(false), Exit::ok);
  EXPECT_EQ(comparison.exit(true), Exit::unjudged);
}

TEST(Compare, JudgesOnlyWhatIsAskedAtItsOwnEffect) {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.010));
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.0102));
  CompareOptions options;
  options.asked = {{.workload = "decode", .metric = "tpot_s", .min_effect = 0.03}};
  EXPECT_EQ(compare(before, after, options).rows[0].verdict.word, Word::unchanged);
  options.asked[0].min_effect = 0.01;
  EXPECT_EQ(compare(before, after, options).rows[0].verdict.word, Word::regressed);
  options.asked[0].workload = "another";
  EXPECT_TRUE(compare(before, after, options).rows.empty());
}

// On a machine that is `machine` times as slow, and a native_fp8 that is `own` times as slow.
RunRecord beside_a_control(double machine, double own) {
  RunRecord run = run_of(kernel_case("native_fp8"), steps(0.010 * machine * own));
  std::vector<double> control = steps(0.020 * machine);
  for (std::size_t i = 0; i < control.size(); ++i) {  // both jump within the run, too
    const double jump = i < 4 ? 1.3 : 1;
    control[i] *= jump;
    Measurement& m = run.measurements[i];
    m.metrics[0].value *= jump;
    m.stages = {{"cast", m.metrics[0].value / 2, 0}, {"attention", 0.005 * machine * jump, 0}};
  }
  add_case(run, kernel_case("full_pool_cast"), control);
  return run;
}

TEST(Compare, AJumpOfTheMachineIsNoneOfWhatIsRelativeToAControl) {
  const CompareOptions options{.asked = {{"decode", "tpot_s", 0.01, "full_pool_cast"}},
                               .workload = {}};
  const RunRecord before = beside_a_control(1, 1);
  Comparison comparison = compare(before, beside_a_control(1.2, 1), options);
  ASSERT_EQ(comparison.rows.size(), 1u);  // the control itself is not judged
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::unchanged);
  comparison = compare(before, beside_a_control(0.8, 1.03), options);
  const Row& row = comparison.rows[0];
  EXPECT_EQ(row.verdict.word, Word::regressed);
  EXPECT_NEAR(row.evidence->ratio, 1.03, 1e-9);
  EXPECT_NE(row.verdict.reason.find("relative to full_pool_cast, which changed by -20.0 %"),
            std::string::npos)
      << row.verdict.reason;
  ASSERT_EQ(row.stages.size(), 3u);
  EXPECT_NEAR(row.stages[0].change_s / row.stages[0].baseline_s, 0.03, 1e-6);
  EXPECT_NEAR(row.stages[1].change_s, 0, 1e-9);
}

TEST(Compare, WithoutItsControlNothingIsJudged) {
  const CompareOptions options{.asked = {{"decode", "tpot_s", 0.01, "full_pool_cast"}},
                               .workload = {}};
  RunRecord after = beside_a_control(1, 1);
  after.plan.pop_back();
  std::erase_if(after.measurements,
                [](const Measurement& m) { return m.what.variant == "full_pool_cast"; });
  const Comparison comparison = compare(beside_a_control(1, 1), after, options);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::missing);
  EXPECT_EQ(comparison.rows[0].verdict.reason,
            "candidate: full_pool_cast was not measured beside it");
}

TEST(Compare, WhatOthersDisturbedIsJudgedWithinItsRunAlone) {
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.012));
  add_case(after, kernel_case("full_pool_cast"), steps(0.020), true);
  const RunRecord before = after;
  for (Measurement& m : after.measurements) m.metrics.push_back({"others_cpu_share", 0.4});
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.count(Word::invalid), 2);
  EXPECT_EQ(comparison.rows[0].verdict.reason,
            "candidate: other processes used 40 % of the CPU (10 % at most can be judged)");
  EXPECT_TRUE(comparison.rows[0].evidence);
  EXPECT_EQ(compare_variants(after).count(Word::improved), 1);
}

TEST(Compare, MeanIsGeometricOverTheCasesOfBothSides) {
  RunRecord before = run_of(kernel_case("a"), steps(0.010));
  RunRecord after = run_of(kernel_case("a"), steps(0.020));
  add_case(before, kernel_case("b"), steps(0.020));
  add_case(after, kernel_case("b"), steps(0.010));
  add_case(after, kernel_case("c"), steps(1.0));
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.means.size(), 1);
  EXPECT_EQ(comparison.means[0].cases, 2);
  EXPECT_NEAR(comparison.means[0].ratio, 1, 1e-9);
}

TEST(CompareVariants, PairsTheReplicatesOfOneRun) {
  // Replicates differ by a factor of two, which both variants share.
  const std::vector<double> slow{0.1, 0.2, 0.15, 0.12, 0.18, 0.11, 0.19, 0.14};
  std::vector<double> fast;
  for (const double s : slow) fast.push_back(s * 0.775);
  RunRecord run = run_of(kernel_case("native_fp8"), fast);
  add_case(run, kernel_case("full_pool_cast"), slow, true);
  const Comparison comparison = compare_variants(run);
  ASSERT_EQ(comparison.rows.size(), 1);
  EXPECT_EQ(comparison.rows[0].baseline_variant, "full_pool_cast");
  EXPECT_EQ(comparison.rows[0].what.variant, "native_fp8");
  EXPECT_TRUE(comparison.rows[0].evidence->paired);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::improved);
  EXPECT_NEAR(comparison.rows[0].evidence->interval->low, 0.775, 1e-9);
  EXPECT_EQ(comparison.means[0].variant, "native_fp8");
}

TEST(CompareVariants, ABaselineWithoutAResultLeavesItsVariantsMissing) {
  RunRecord run = run_of(kernel_case("native_fp8"), steps(0.01));
  add_case(run, kernel_case("full_pool_cast"), steps(0.09), true);
  for (Measurement& m : run.measurements) {
    if (m.what.variant == "full_pool_cast") m.status = Status::out_of_memory;
  }
  const Comparison comparison = compare_variants(run);
  EXPECT_EQ(comparison.rows[0].verdict.word, Word::missing);
  EXPECT_EQ(comparison.rows[0].verdict.reason, "baseline: out_of_memory");
}

}  // namespace
}  // namespace bench
