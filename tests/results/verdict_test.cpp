#include "results/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "results/machine_drift.h"

namespace bench {
namespace {

using Values = std::vector<double>;

const Values kEightNights{0.999, 1.000, 1.001, 1.000, 0.999, 1.001, 1.000, 1.000};

Values scaled(const Values& values, double factor) {
  Values scaled = values;
  for (double& value : scaled) value *= factor;
  return scaled;
}

Verdict judge_one(const Values& baseline, const Values& candidate, const Question& question) {
  const std::vector<Judged> family{{compare_unpaired(baseline, candidate), question}};
  return judge(family).front();
}

TEST(Holm, MultipliesByTheCasesLeftAndNeverFalls) {
  const std::vector<double> corrected = holm(Values{0.04, 0.01, 0.03, 0.005});
  EXPECT_EQ(corrected, (Values{0.06, 0.03, 0.06, 0.02}));
  EXPECT_EQ(holm(Values{0.7, 0.9}), (Values{1, 1}));
}

TEST(Verdict, SlowerIsARegressionOfATimeAndAnImprovementOfARate) {
  const Values slower = scaled(kEightNights, 1.05);
  EXPECT_EQ(judge_one(kEightNights, slower, {Better::lower, 0.01}).word, Word::regressed);
  EXPECT_EQ(judge_one(kEightNights, slower, {Better::higher, 0.01}).word, Word::improved);
  EXPECT_EQ(judge_one(slower, kEightNights, {Better::lower, 0.01}).word, Word::improved);
  EXPECT_EQ(judge_one(slower, kEightNights, {Better::higher, 0.01}).word, Word::regressed);
}

TEST(Verdict, ARealChangeBelowTheSmallestOfInterestIsUnchanged) {
  const Verdict verdict =
      judge_one(kEightNights, scaled(kEightNights, 1.005), {Better::lower, 0.01});
  EXPECT_EQ(verdict.word, Word::unchanged);
  EXPECT_LT(verdict.p, 0.01);
  EXPECT_EQ(verdict.reason, "+0.40 % .. +0.60 % lies within 1 %");
}

TEST(Verdict, AnIntervalAcrossTheBoundIsInconclusive) {
  const Verdict verdict =
      judge_one(kEightNights, scaled(kEightNights, 1.01), {Better::lower, 0.01});
  EXPECT_EQ(verdict.word, Word::inconclusive);
  EXPECT_EQ(verdict.reason, "+0.90 % .. +1.10 % reaches across 1 %");
}

TEST(Verdict, OneReplicateIsInconclusive) {
  EXPECT_EQ(judge_one({1.0}, {2.0}, {Better::lower, 0.01}).reason,
            "one replicate allows no 95 % interval");
}

TEST(Verdict, ThreeReplicatesAreInconclusiveWhateverTheyShow) {
  const Values three{1.0, 1.001, 0.999};
  for (const double factor : {1.0, 1.03, 2.0}) {
    const Verdict verdict = judge_one(three, scaled(three, factor), {Better::lower, 0.01});
    EXPECT_EQ(verdict.word, Word::inconclusive);
    EXPECT_EQ(verdict.reason, "3 replicates a side allow no 95 % interval");
    EXPECT_FALSE(verdict.detectable);
    EXPECT_GE(verdict.replicates_needed, 4);
    EXPECT_LE(verdict.replicates_needed, 5);
  }
}

TEST(Verdict, ManyComparisonsNeedMoreThanOneDoes) {
  const Values five(kEightNights.begin(), kEightNights.begin() + 5);
  const Judged changed{compare_unpaired(five, scaled(five, 2)), {}};
  const Judged same{compare_unpaired(five, five), {}};
  EXPECT_EQ(judge(std::vector{changed}).front().word, Word::regressed);  // p = 2 / 252
  const Verdict of_two = judge(std::vector{changed, same}).front();
  EXPECT_EQ(of_two.word, Word::inconclusive);
  EXPECT_EQ(of_two.reason, "p 0.016 over 2 comparisons, 0.01 is needed");
  EXPECT_EQ(of_two.replicates_needed, 6);
  // Nor is it left where a first look chose this one of two.
  EXPECT_EQ(judge(std::vector{changed}, 1, 2).front().word, Word::inconclusive);
}

TEST(Verdict, AThousandComparisonsOfEightReplicatesFindALargeChange) {
  std::vector<Judged> family(1000, {compare_unpaired(kEightNights, kEightNights), {}});
  family[7] = {compare_unpaired(kEightNights, scaled(kEightNights, 1.1)), {}};
  const std::vector<Verdict> verdicts = judge(family);
  EXPECT_EQ(verdicts[7].word, Word::regressed);
  EXPECT_EQ(std::ranges::count(verdicts, Word::unchanged, &Verdict::word), 999);
}

TEST(Verdict, AdjustedIntervalIsNoNarrowerThanThePlainOne) {
  std::vector<Judged> family(20, {compare_unpaired(kEightNights, kEightNights), {}});
  family[0] = {compare_unpaired(kEightNights, scaled(kEightNights, 1.02)), {}};
  const std::vector<Verdict> verdicts = judge(family);
  for (std::size_t i = 0; i < family.size(); ++i) {
    EXPECT_LE(verdicts[i].adjusted->low, family[i].evidence.interval->low);
    EXPECT_GE(verdicts[i].adjusted->high, family[i].evidence.interval->high);
  }
  // Alone, the two are the same.
  const Judged alone{compare_unpaired(kEightNights, scaled(kEightNights, 1.02)), {}};
  EXPECT_EQ(judge(std::vector{alone}).front().adjusted->low, alone.evidence.interval->low);
}

TEST(Verdict, DriftThroughBothRunsIsNoRegression) {
  Values before;
  Values after;
  for (int i = 0; i < 8; ++i) {
    before.push_back(1 + 0.01 * i);
    after.push_back(1 + 0.01 * (i + 8));
  }
  const Verdict verdict = judge_one(before, after, {Better::lower, 0.01});
  EXPECT_EQ(verdict.word, Word::inconclusive);
  EXPECT_NE(verdict.reason.find("drift, of +0.9"), std::string::npos) << verdict.reason;
}

// Twenty cases on a machine that slows down, with a step besides.
std::vector<Judged> drifting(Better better, double drift, double step) {
  std::vector<Judged> family;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.01);
  for (int c = 0; c < 20; ++c) {
    Values before;
    Values after;
    for (int i = 0; i < 8; ++i) {
      before.push_back(std::exp(drift * i + noise(random)));
      after.push_back(std::exp(drift * (i + 8) + step + noise(random)));
    }
    if (better == Better::higher) {
      for (double& value : before) value = 1 / value;
      for (double& value : after) value = 1 / value;
    }
    family.push_back({compare_unpaired(before, after), {better, 0.01}});
  }
  return family;
}

TEST(Verdict, TheDriftOfTheMachineIsWhatItsCasesShare) {
  const std::vector<Judged> slowing = drifting(Better::lower, 0.004, 0);
  EXPECT_NEAR(machine_drift(slowing), 0.004, 0.0005);
  EXPECT_NEAR(machine_drift(drifting(Better::higher, 0.004, 0)), 0.004, 0.0005);
  EXPECT_NEAR(without_drift(slowing[0].evidence, 0.004).ratio, 1, 0.02);
  EXPECT_GT(slowing[0].evidence.ratio, 1.02);
  EXPECT_EQ(machine_drift(drifting(Better::lower, 0, 0.1)), 0);  // a step is no drift
  EXPECT_EQ(machine_drift({}), 0);
}

TEST(Verdict, AStepBeyondTheSharedDriftIsFound) {
  const std::vector<Verdict> verdicts = judge(drifting(Better::lower, 0.004, 0.10));
  EXPECT_EQ(std::ranges::count(verdicts, Word::regressed, &Verdict::word), 20);
}

TEST(Verdict, EqualTimesAreUnchangedAndAllWordsHaveNames) {
  EXPECT_EQ(judge_one(Values(8, 0.5), Values(8, 0.5), {}).word, Word::unchanged);
  EXPECT_EQ(to_string(Word::invalid), "invalid");
  EXPECT_EQ(to_string(Word::improved), "improved");
}

}  // namespace
}  // namespace bench
