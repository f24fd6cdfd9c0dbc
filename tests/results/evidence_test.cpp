#include "results/evidence.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/error.h"

namespace bench {
namespace {

using Values = std::vector<double>;

const Values kEight{0.99, 1.00, 1.01, 1.00, 0.99, 1.01, 1.00, 1.00};

Values times(const Values& values, double factor) {
  Values scaled = values;
  for (double& value : scaled) value *= factor;
  return scaled;
}

TEST(Evidence, RatioIsThatOfTheMediansShown) {
  const Evidence e = compare_unpaired(times(kEight, 0.0956), times(kEight, 0.0741));
  EXPECT_DOUBLE_EQ(e.baseline, 0.0956);
  EXPECT_DOUBLE_EQ(e.candidate, 0.0741);
  EXPECT_DOUBLE_EQ(e.ratio, e.candidate / e.baseline);
  EXPECT_LT(e.interval->low, e.ratio);
  EXPECT_GT(e.interval->high, e.ratio);
}

TEST(Evidence, IntervalHoldsTheRatioEvenWhereTheMediansDisagreeWithIt) {
  // Most differences are 0; the medians lie 2 apart.
  const Values baseline{1, 1, 1, 1, 3, 3, 3};
  const Values candidate{1, 1, 1, 3, 3, 3, 3};
  const Evidence e = compare_unpaired(baseline, candidate);
  EXPECT_EQ(e.ratio, 3);
  EXPECT_GE(e.interval->high, 3);
}

TEST(Evidence, DoesNotDependOnTheUnit) {
  const Values candidate = times({1.02, 1.01, 1.03, 1.02, 1.04, 1.01, 1.02, 1.05}, 1);
  const Evidence seconds = compare_unpaired(kEight, candidate);
  const Evidence micros = compare_unpaired(times(kEight, 1e6), times(candidate, 1e6));
  EXPECT_NEAR(seconds.interval->low, micros.interval->low, 1e-12);
  EXPECT_NEAR(seconds.p, micros.p, 1e-12);
}

TEST(Evidence, ExchangingTheSidesInvertsTheRatio) {
  const Values candidate{1.02, 1.01, 1.03, 1.02, 1.04, 1.01, 1.02, 1.05};
  const Evidence there = compare_unpaired(kEight, candidate);
  const Evidence back = compare_unpaired(candidate, kEight);
  EXPECT_NEAR(there.ratio * back.ratio, 1, 1e-12);
  EXPECT_NEAR(there.interval->low * back.interval->high, 1, 1e-12);
  EXPECT_NEAR(there.p, back.p, 1e-15);
}

TEST(Evidence, BeyondTheReachOfRanksStudentsTTakesOver) {
  // Eight replicates that do not overlap: p is at most 2 / 12870, and less the further apart.
  const Evidence near = compare_unpaired(kEight, times(kEight, 1.03));
  const Evidence far = compare_unpaired(kEight, times(kEight, 2));
  EXPECT_LE(near.p, 2.0 / 12870);
  EXPECT_LT(far.p, 1e-12);
  // Six a side reach 2 / 924 whatever their distance: chance is not yet ruled out.
  const Values six(kEight.begin(), kEight.begin() + 6);
  EXPECT_NEAR(compare_unpaired(six, times(six, 2)).p, 2.0 / 924, 1e-12);
}

TEST(Evidence, IntervalAtALevelBeyondRanksIsNoNarrowerThanAllDifferences) {
  const Evidence e = compare_unpaired(kEight, times(kEight, 1.10));
  const Interval interval = *e.interval_at(1e-7);
  EXPECT_LE(interval.low, 1.10 * 0.99 / 1.01);
  EXPECT_GE(interval.high, 1.10 * 1.01 / 0.99);
  EXPECT_LT(e.interval_at(1e-9)->low, interval.low);
}

TEST(Evidence, OneOutlierLeavesTheIntervalNarrow) {
  Values candidate = kEight;
  candidate[3] = 5;
  const Evidence e = compare_unpaired(kEight, candidate);
  EXPECT_GT(e.interval->low, 0.98);
  EXPECT_LT(e.interval->high, 1.02);
  EXPECT_LT(e.error, 0.01);
}

TEST(Evidence, EqualValuesShowNoChangeAtAll) {
  const Evidence e = compare_unpaired(Values(8, 0.25), Values(8, 0.25));
  EXPECT_EQ(e.p, 1);
  EXPECT_EQ(e.interval->low, 1);
  EXPECT_EQ(e.interval->high, 1);
  EXPECT_EQ(e.error, 0);
}

TEST(Evidence, PairsCancelWhatBothSidesShare) {
  // Replicates differ by a factor of two; each pair by 3 %.
  const Values baseline{1, 2, 1.5, 1.2, 1.8, 1.1, 1.9, 1.4};
  const Evidence paired = compare_paired(baseline, times(baseline, 1.03));
  EXPECT_NEAR(paired.interval->low, 1.03, 1e-9);
  EXPECT_NEAR(paired.interval->high, 1.03, 1e-9);
  EXPECT_GT(compare_unpaired(baseline, times(baseline, 1.03)).p, 0.5);
}

TEST(Evidence, OnePairNearZeroAmongPairsAModeApartIsNoShiftBeyondRanks) {
  const Values fast{1.000, 1.002, 0.999, 1.001, 0.998, 1.000, 1.001, 0.999};
  Values slow = times(fast, 1.04);
  slow[5] = 1.0005;  // this process started in the fast mode too
  // So two exact tests are left: of the pairs (2 in 256), and of the sides, which is clearer.
  EXPECT_DOUBLE_EQ(compare_paired(fast, slow).p, compare_unpaired(fast, slow).p / 0.8);
  EXPECT_LT(compare_paired(fast, times(fast, 1.04)).p, 1e-6);
}

TEST(Evidence, ThreeReplicatesAllowNoInterval) {
  const Values three{1.00, 1.01, 0.99};
  EXPECT_FALSE(compare_unpaired(three, times(three, 2)).interval);
  EXPECT_FALSE(compare_paired(three, times(three, 2)).interval);
}

TEST(Evidence, ADriftThroughBothRunsExplainsTheirDifference) {
  Values before;
  Values after;
  for (int i = 0; i < 8; ++i) {
    before.push_back(1 + 0.01 * i);
    after.push_back(1 + 0.01 * (i + 8));
  }
  const Evidence e = compare_unpaired(before, after);
  EXPECT_TRUE(e.drift_explains);
  EXPECT_NEAR(e.drift, 0.01, 0.001);
  // A step upon the same drift stays: 50 % is more than eight replicates of 1 %.
  EXPECT_FALSE(compare_unpaired(before, times(after, 1.5)).drift_explains);
  // A drift cannot explain a change against its direction.
  EXPECT_FALSE(compare_unpaired(before, times(before, 0.9)).drift_explains);
}

TEST(Evidence, RefusesWhatHasNoLogarithm) {
  EXPECT_THROW(compare_unpaired(Values{1, 0}, kEight), Error);
  EXPECT_THROW(compare_unpaired(kEight, Values{}), Error);
}

}  // namespace
}  // namespace bench
