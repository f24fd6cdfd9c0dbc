#include "results/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "results/drifts.h"
#include "results/level_fit.h"
#include "results/splits.h"
#include "tests/results/simulated_series.h"

namespace bench {
namespace {

using Values = std::vector<double>;

// `count` values about `level` that alternate by 0.1.
void append(Values& values, std::size_t count, double level) {
  for (std::size_t i = 0; i < count; ++i) values.push_back(level + (i % 2 == 0 ? 0.1 : -0.1));
}

TEST(FindChanges, FindsAStepWithItsLevels) {
  Values values;
  append(values, 20, 5);
  append(values, 20, 6);
  const Changes found = find_changes(values);
  ASSERT_EQ(found.changes.size(), 1);
  EXPECT_FALSE(found.changes[0].is_drift());
  EXPECT_EQ(found.changes[0].begin, 20);
  EXPECT_NEAR(found.changes[0].before, 5, 0.02);
  EXPECT_NEAR(found.changes[0].after, 6, 0.02);
  EXPECT_LE(found.changes[0].p, 0.003);
  EXPECT_NEAR(found.noise, 0.1, 0.02);
}

TEST(FindChanges, FindsWhatRecoveredLater) {
  Values values;
  append(values, 30, 5);
  append(values, 8, 6);
  append(values, 30, 5);
  const Changes found = find_changes(values);
  ASSERT_EQ(found.changes.size(), 2);
  EXPECT_EQ(found.changes[0].begin, 30);
  EXPECT_EQ(found.changes[1].begin, 38);
}

TEST(FindChanges, OneSpikeIsNoChange) {
  Values values;
  append(values, 40, 5);
  values[20] = 50;
  EXPECT_TRUE(find_changes(values).changes.empty());
  values[39] = 50;  // nor is one in the last night
  EXPECT_TRUE(find_changes(values).changes.empty());
}

TEST(FindChanges, TenNightsOfHalfAPercentAreADrift) {
  Values values;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 0.001);
  for (int night = 0; night < 10; ++night) values.push_back(1 - 0.005 * night + normal(random));
  const Changes found = find_changes(values);
  ASSERT_EQ(found.changes.size(), 1);
  EXPECT_TRUE(found.changes[0].is_drift());
  EXPECT_NEAR(found.changes[0].slope(), -0.005, 0.0005);
}

TEST(FindChanges, TwoStepsInOneDirectionStaySteps) {
  Values values;
  append(values, 25, 5);
  append(values, 25, 6);
  append(values, 25, 7);
  const Changes found = find_changes(values);
  ASSERT_EQ(found.changes.size(), 2);
  EXPECT_FALSE(found.changes[0].is_drift());
  EXPECT_FALSE(found.changes[1].is_drift());
}

TEST(FindChanges, SaysNothingOfShortOrConstantSeries) {
  EXPECT_TRUE(find_changes(Values{}).changes.empty());
  EXPECT_TRUE(find_changes(Values{1, 1, 1, 9, 9}).changes.empty());
  EXPECT_TRUE(find_changes(Values(90, 3.0)).changes.empty());
}

TEST(FindChanges, IsTheSameInEveryCallAndUnit) {
  std::mt19937_64 random(4);
  const SimulatedSeries series = simulate_series("step_2", 90, 0.005, random);
  Values logs;
  Values shifted;
  for (const double value : series.values) {
    logs.push_back(std::log(value));
    shifted.push_back(std::log(value * 1e6));
  }
  const Changes once = find_changes(logs);
  const Changes again = find_changes(shifted);
  ASSERT_EQ(once.changes.size(), 1);
  ASSERT_EQ(again.changes.size(), 1);
  EXPECT_EQ(once.changes[0].begin, again.changes[0].begin);
  EXPECT_EQ(once.changes[0].p, again.changes[0].p);
  EXPECT_LE(once.changes[0].earliest, once.changes[0].begin);
  EXPECT_GE(once.changes[0].latest, once.changes[0].begin);
}

TEST(Splits, GainIsTheFallOfTheSumOfSquares) {
  // 0 0 0 3 3 3: 13.5 about one mean, 0 about two.
  const Split split = best_split(Values{0, 0, 0, 3, 3, 3});
  EXPECT_EQ(split.at, 3);
  EXPECT_DOUBLE_EQ(split.gain, 13.5);
  const Bump bump = best_bump(Values{0, 0, 0, 3, 3, 3, 0, 0, 0});
  EXPECT_EQ(bump.begin, 3);
  EXPECT_EQ(bump.end, 6);
  EXPECT_DOUBLE_EQ(bump.gain, 18);
  // A straight line leaves nothing: all of 10 about the mean.
  EXPECT_DOUBLE_EQ(trend_gain(Values{1, 2, 3, 4, 5}), 10);
}

TEST(Splits, ShufflesCountHowOftenChanceDoesAsWell) {
  const Values split{0, 0, 0, 0, 3, 3, 3, 3};
  // 2 of the 70 orders are as split as this one.
  EXPECT_NEAR(split_p(split, best_split(split).gain, 1), 2.0 / 70, 0.01);
  EXPECT_EQ(split_p(split, best_split(split).gain, 0.01), 1);
}

TEST(LevelFit, JoinsLevelsByStepsAndRamps) {
  const Values values{1, 1, 1, 2, 2, 2, 3, 4, 5, 5};
  const LevelFit fit = fit_levels(values, std::vector<Transition>{{2, 3}, {5, 8}});
  EXPECT_NEAR(fit.first_level, 1, 1e-12);
  EXPECT_NEAR(fit.rises[0], 1, 1e-12);
  EXPECT_NEAR(fit.rises[1], 3, 1e-12);
  EXPECT_NEAR(fit.squares, 0, 1e-12);
}

TEST(LevelFit, SeesNoiseThatCorrelatesFromNightToNight) {
  std::mt19937_64 random(1);
  const SimulatedSeries wandering = simulate_series("autocorrelated", 365, 1, random);
  const SimulatedSeries flat = simulate_series("flat", 365, 1, random);
  EXPECT_NEAR(autocorrelation(fit_levels(wandering.values, {})), 0.5, 0.12);
  EXPECT_LT(autocorrelation(fit_levels(flat.values, {})), 0.12);
}

TEST(Drifts, ARowOfStepsBecomesADriftAndAStepDoesNot) {
  Values ramp;
  for (int i = 0; i < 60; ++i) ramp.push_back(0.1 * i + (i % 2 == 0 ? 0.1 : -0.1));
  std::vector<Transition> transitions{{14, 15}, {29, 30}, {44, 45}};
  merge_into_drifts(ramp, transitions);
  ASSERT_EQ(transitions.size(), 1);
  EXPECT_FALSE(transitions[0].is_step());
  Values step;
  append(step, 30, 0);
  append(step, 30, 1);
  transitions = {{29, 30}};
  merge_into_drifts(step, transitions);
  ASSERT_EQ(transitions.size(), 1);
  EXPECT_TRUE(transitions[0].is_step());
}

}  // namespace
}  // namespace bench
