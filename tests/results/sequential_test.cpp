#include "results/sequential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "harness/error.h"
#include "tests/results/simulated_noise.h"

namespace bench {
namespace {

struct Ended {
  Word word;
  std::int64_t pairs;
};

Ended simulate_sequence(double ratio, double deviation, std::int64_t most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const SimulatedPair all =
      simulate(Noise::gaussian, deviation, static_cast<std::size_t>(most), ratio, random, true);
  Sequential sequence(most);
  for (const std::int64_t size : sequence.sizes()) {
    const auto count = static_cast<std::size_t>(size);
    sequence.look({{compare_paired(std::span(all.baseline).first(count),
                                   std::span(all.candidate).first(count)),
                    {}}});
    if (sequence.clear()) return {sequence.verdicts()[0].word, size};
  }
  return {sequence.verdicts()[0].word, most};
}

TEST(Sequential, LooksAtGrowingSizesUpToTheBudget) {
  EXPECT_EQ(looks(8), (std::vector<std::int64_t>{8}));
  EXPECT_EQ(looks(30), (std::vector<std::int64_t>{8, 12, 16, 24, 30}));
  EXPECT_EQ(looks(64), (std::vector<std::int64_t>{8, 12, 16, 24, 32, 48, 64}));
  EXPECT_THROW(looks(7), Error);
}

TEST(Sequential, OrderIsBalancedInEveryTwoPairsAndRandom) {
  std::mt19937_64 random(3);
  const std::vector<bool> order = baseline_first(40, random);
  for (std::size_t i = 0; i < order.size(); i += 2) EXPECT_NE(order[i], order[i + 1]);
  int baseline_leads = 0;
  for (std::size_t i = 0; i < order.size(); i += 2) baseline_leads += order[i] ? 1 : 0;
  EXPECT_GT(baseline_leads, 3);
  EXPECT_LT(baseline_leads, 17);
}

TEST(Sequential, StopsEarlyWhenTheChangeIsLarge) {
  const Ended ended = simulate_sequence(1.10, 0.005, 64, 1);
  EXPECT_EQ(ended.word, Word::regressed);
  EXPECT_EQ(ended.pairs, 8);
}

TEST(Sequential, GoesOnWhileNoiseHidesTheAnswer) {
  const Ended ended = simulate_sequence(1.025, 0.015, 64, 1);
  EXPECT_EQ(ended.word, Word::regressed);
  EXPECT_GT(ended.pairs, 8);
}

TEST(Sequential, HardlyEverAlarmsWhereNothingChanged) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Word word = simulate_sequence(1, 0.02, 64, seed).word;
    alarms += word == Word::regressed || word == Word::improved ? 1 : 0;
  }
  EXPECT_LE(alarms, 3);
}

TEST(Sequential, AClearVerdictStands) {
  Sequential sequence(16);
  const std::vector<double> base(8, 1.0);
  const std::vector<double> slower(8, 1.5);
  sequence.look({{compare_paired(base, slower), {}}});
  EXPECT_TRUE(sequence.clear());
  sequence.look({{compare_paired(base, base), {}}});
  EXPECT_EQ(sequence.verdicts()[0].word, Word::regressed);
}

}  // namespace
}  // namespace bench
