// The error rates promised in results/verdict.h, on fewer families than micro_verdict takes.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "results/verdict.h"
#include "tests/results/simulated_noise.h"

namespace bench {
namespace {

constexpr std::size_t kCases = 50;

std::vector<Verdict> family(Noise noise, double deviation, std::size_t replicates, double ratio,
                            std::mt19937_64& random) {
  std::vector<Judged> cases;
  for (std::size_t i = 0; i < kCases; ++i) {
    const SimulatedPair pair = simulate(noise, deviation, replicates, i == 0 ? ratio : 1, random);
    cases.push_back({compare_unpaired(pair.baseline, pair.candidate), {}});
  }
  return judge(cases);
}

class OfNoise : public testing::TestWithParam<Noise> {};

TEST_P(OfNoise, AtMostOneInAHundredComparisonsOfEqualProgramsRaisesAnAlarm) {
  // 2 % of noise: the smallest effect of interest, of 1 %, does not keep alarms away.
  constexpr int kFamilies = 60;
  std::mt19937_64 random(1);
  int alarms = 0;
  for (int i = 0; i < kFamilies; ++i) {
    const auto verdicts = family(GetParam(), 0.02, 8, 1, random);
    alarms += std::ranges::any_of(verdicts, [](const Verdict& v) {
      return v.word == Word::improved || v.word == Word::regressed;
    });
  }
  EXPECT_LE(alarms, 2);  // 0.6 expected at most
}

INSTANTIATE_TEST_SUITE_P(Verdict, OfNoise, testing::ValuesIn(kNoises),
                         [](const auto& noise) { return std::string(name(noise.param)); });

TEST(Verdict, FindsThreePercentInHalfAPercentOfNoise) {
  constexpr int kFamilies = 100;
  std::mt19937_64 random(2);
  int found = 0;
  for (int i = 0; i < kFamilies; ++i) {
    found += family(Noise::gaussian, 0.005, 8, 1.03, random).front().word == Word::regressed;
  }
  EXPECT_GE(found, kFamilies * 99 / 100);
}

TEST(Verdict, ThreeReplicatesAreAlwaysInconclusive) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) {
    for (const Verdict& verdict : family(Noise::gaussian, 0.005, 3, 1.03, random)) {
      EXPECT_EQ(verdict.word, Word::inconclusive);
    }
  }
}

}  // namespace
}  // namespace bench
