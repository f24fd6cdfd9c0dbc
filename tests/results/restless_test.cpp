#include "results/restless.h"

#include <gtest/gtest.h>

#include "tests/results/compared_runs.h"

namespace bench {
namespace {

std::vector<double> restless_steps() {
  return {0.0100, 0.0108, 0.0096, 0.0111, 0.0093, 0.0104, 0.0099, 0.0106};
}

void disturb(RunRecord& run) {
  for (Measurement& m : run.measurements) m.metrics.push_back({"others_cpu_share", 0.45, 1});
}

TEST(Answers, AreWantingWhereNoiseIsMoreThanIsAsked) {
  RunRecord run = run_of(kernel_case("quiet"), steps(0.010));
  add_case(run, kernel_case("restless"), restless_steps());
  const std::vector<GateAnswer> all = answers(compare(run, run));
  ASSERT_EQ(all.size(), 2);
  EXPECT_TRUE(all[0].wanting.empty()) << all[0].wanting;
  EXPECT_LT(*all[0].tells, 0.01);
  EXPECT_TRUE(all[1].wanting.starts_with("can tell 16 % at best, 1 % is asked: "));
  EXPECT_TRUE(all[1].noise);
}

TEST(Answers, OfNoiseThatNoReplicatesAverageOutNameTheEffectThatTheyTell) {
  const auto asked = [](double min_effect, std::vector<double> values) {
    const RunRecord run = run_of(kernel_case("restless"), values);
    return answers(compare(run, run, {.asked = {}, .min_effect = min_effect})).front().wanting;
  };
  EXPECT_EQ(asked(0.001, restless_steps()),
            "can tell 16 % at best, 0.1 % is asked: more replicates will not do, but a quieter "
            "machine, or min_effect: 16%");
  EXPECT_EQ(asked(0.16, restless_steps()), "");
  EXPECT_EQ(asked(0.05, restless_steps()),
            "can tell 16 % at best, 5 % is asked: about 71 replicates would, or min_effect: 16%");
  // Where not even a doubling would be seen, none is named.
  EXPECT_TRUE(asked(0.01, {1, 9, 2, 7, 3, 8, 1, 6}).ends_with("but a quieter machine"));
}

TEST(Answers, AreWantingWhereReplicatesAreTooFewOrOthersTookTheCpu) {
  RunRecord few = run_of(kernel_case("a"), steps(0.010, 3));
  const GateAnswer of_few = answers(compare(few, few)).front();
  EXPECT_EQ(of_few.wanting, "3 replicates tell too little: 6 are asked of a baseline");
  EXPECT_FALSE(of_few.noise);
  RunRecord shared = run_of(kernel_case("a"), steps(0.010));
  disturb(shared);
  const GateAnswer of_shared = answers(compare(shared, shared)).front();
  EXPECT_EQ(of_shared.wanting, "other processes used 45 % of the CPU (10 % at most can be judged)");
  EXPECT_TRUE(of_shared.noise);
}

TEST(Answers, AreWantingWhereNothingEndedWellAndNotForOneReplicate) {
  RunRecord run = run_of(kernel_case("a"), steps(0.010));
  run.measurements[2].status = Status::timeout;
  EXPECT_EQ(answers(compare(run, run)).front().wanting, "");
  for (Measurement& m : run.measurements) m.status = Status::failed;
  const GateAnswer none = answers(compare(run, run)).front();
  EXPECT_NE(none.wanting, "");
  EXPECT_FALSE(none.noise);
}

TEST(Restless, IsTheSideWhoseNoiseLeavesNoAnswer) {
  const RunRecord quiet = run_of(kernel_case("a"), steps(0.010));
  const RunRecord noisy = run_of(kernel_case("a"), restless_steps());
  RunRecord shared = quiet;
  disturb(shared);
  const auto whose = [](const RunRecord& before, const RunRecord& after) {
    return restless(compare(before, after).rows.front(), 1);
  };
  EXPECT_EQ(whose(quiet, noisy), Restless::candidate);
  EXPECT_EQ(whose(noisy, quiet), Restless::baseline);
  EXPECT_EQ(whose(noisy, noisy), Restless::both);
  EXPECT_EQ(whose(quiet, shared), Restless::candidate);
  EXPECT_EQ(whose(shared, noisy), Restless::both);
  // A change of just about what is asked.
  EXPECT_EQ(whose(quiet, run_of(kernel_case("a"), steps(0.0101))), Restless::none);
}

}  // namespace
}  // namespace bench
