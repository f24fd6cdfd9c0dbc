#include "results/sample_size.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "results/verdict.h"
#include "tests/results/simulated_noise.h"

namespace bench {
namespace {

Evidence evidence(std::size_t replicates, double deviation, double ratio, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const SimulatedPair pair = simulate(Noise::gaussian, deviation, replicates, ratio, random);
  return compare_unpaired(pair.baseline, pair.candidate);
}

// Share of comparisons of this size and truth that end in any word but inconclusive.
double settled(std::size_t replicates, double deviation, double ratio) {
  constexpr int kTrials = 400;
  int count = 0;
  for (int i = 0; i < kTrials; ++i) {
    const std::vector<Judged> family{{evidence(replicates, deviation, ratio, 100 + i), {}}};
    count += judge(family).front().word == Word::inconclusive ? 0 : 1;
  }
  return static_cast<double>(count) / kTrials;
}

TEST(DetectableEffect, IsFoundFourTimesOutOfFive) {
  // Averaged over data sets, since each knows the noise only roughly.
  double sum = 0;
  for (int i = 0; i < 200; ++i) sum += *detectable_effect(evidence(8, 0.01, 1, i), 0.01, 1);
  EXPECT_NEAR(settled(8, 0.01, 1 + sum / 200), 0.8, 0.08);
}

TEST(DetectableEffect, GrowsWithTheFamilyAndWithNoise) {
  const Evidence quiet = evidence(8, 0.005, 1, 1);
  const Evidence noisy = evidence(8, 0.02, 1, 1);
  EXPECT_LT(*detectable_effect(quiet, 0.01, 1), *detectable_effect(noisy, 0.01, 1));
  EXPECT_LT(*detectable_effect(noisy, 0.01, 1), *detectable_effect(noisy, 0.01, 5000));
}

TEST(DetectableEffect, IsNoneWhereNoAlarmCouldBeRaised) {
  EXPECT_FALSE(detectable_effect(evidence(3, 0.005, 1, 1), 0.01, 1));
  EXPECT_TRUE(detectable_effect(evidence(5, 0.005, 1, 1), 0.01, 1));
  EXPECT_FALSE(detectable_effect(evidence(5, 0.005, 1, 1), 0.01, 2));
  EXPECT_TRUE(detectable_effect(evidence(8, 0.005, 1, 1), 0.01, 1000));
}

// Of equal runs, where so much is asked as half of the runs can tell; and of those that can.
TEST(Resolution, IsAnsweredNineTimesOutOfTen) {
  constexpr int kTrials = 400;
  std::vector<double> all;
  for (int i = 0; i < kTrials; ++i)
    all.push_back(*resolution(evidence(16, 0.01, 1, i).baseline_values, 1));
  const double asked = median(all);
  EXPECT_NEAR(asked, 0.0141, 0.001);
  int answered = 0;
  for (int i = 0; i < kTrials; ++i) {
    const std::vector<Judged> pair{{evidence(16, 0.01, 1, 5000 + i), {Better::lower, asked}}};
    answered += judge(pair).front().word == Word::unchanged ? 1 : 0;
  }
  EXPECT_NEAR(answered, 0.92 * kTrials, 0.03 * kTrials);
}

TEST(Resolution, IsNotMovedByAnOutlierButByAJumpHalfWay) {
  const std::vector<double> quiet{1, 1.001, 0.999, 1.002, 0.998, 1.0005, 0.9995, 1.0015};
  std::vector<double> outlier = quiet;
  outlier[3] = 1.5;
  std::vector<double> jump = quiet;
  for (std::size_t i = 4; i < 8; ++i) jump[i] *= 1.05;
  EXPECT_LT(*resolution(quiet, 1), 0.005);
  EXPECT_LT(*resolution(outlier, 1), 0.01);
  EXPECT_GT(*resolution(jump, 1), 0.05);
}

TEST(Resolution, IsNoneWhereNoAlarmCouldBeRaised) {
  EXPECT_EQ(fewest_replicates(1), 6);
  EXPECT_EQ(fewest_replicates(50), 7);
  EXPECT_FALSE(resolution(std::vector<double>(6, 1), 50));
  EXPECT_EQ(*resolution(std::vector<double>(7, 1), 50), 0);
}

TEST(ReplicatesNeeded, SettleTheQuestion) {
  // 2 % of noise and a change of 2.5 %: eight replicates are too few, the number named is not.
  double sum = 0;
  int named = 0;
  for (int i = 0; i < 200; ++i) {
    const auto needed = replicates_needed(evidence(8, 0.02, 1.025, i), 0.01, 1);
    if (!needed) continue;
    sum += static_cast<double>(*needed);
    ++named;
  }
  const auto replicates = static_cast<std::size_t>(sum / named);
  EXPECT_LT(settled(8, 0.02, 1.025), 0.5);
  EXPECT_GT(settled(replicates, 0.02, 1.025), 0.5);
}

TEST(ReplicatesNeeded, AreTheFewestThatAllowAnIntervalWhenThereIsNoNoise) {
  const std::vector<double> three(3, 1.0);
  const std::vector<double> slower(3, 2.0);
  EXPECT_EQ(replicates_needed(compare_unpaired(three, three), 0.01, 1), 4);
  EXPECT_EQ(replicates_needed(compare_paired(three, three), 0.01, 1), 6);
  // An alarm takes p <= 0.01: 2 / C(10, 5), 2 / 2^8; over 50 comparisons 7 a side.
  EXPECT_EQ(replicates_needed(compare_unpaired(three, slower), 0.01, 1), 5);
  EXPECT_EQ(replicates_needed(compare_paired(three, slower), 0.01, 1), 8);
  EXPECT_EQ(replicates_needed(compare_unpaired(three, slower), 0.01, 50), 7);
}

}  // namespace
}  // namespace bench
