#include "dashboards/summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dashboards/case_summary.h"
#include "tests/dashboards/quickstart.h"

namespace bench {
namespace {

using testing::measured;
using testing::workload;

Parameters at(std::int64_t context, std::int64_t pool_tokens = 8192) {
  Parameters p;
  p.context = context;
  p.pool_tokens = pool_tokens;
  return p;
}

// Two variants at one point, with the TPOTs of their replicates in ms.
std::vector<Measurement> before_after(const Workload& w, std::vector<double> before,
                                      std::vector<double> after) {
  std::vector<Measurement> all;
  const auto add = [&](const std::string& variant, const std::vector<double>& times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      all.push_back(measured(w, w.case_of(w.points[0], variant), static_cast<std::int64_t>(i),
                             times[i] / 1e3));
    }
  };
  add("before", before);
  add("after", after);
  return all;
}

struct Pair {
  Workload plan = workload("w", {"before", "after"}, {at(4096)}, {"context"});
  std::vector<Measurement> measurements;
  RunSummary summary;

  const CaseSummary& operator[](std::size_t variant) const {
    return summary.workloads[0].points[0].cases[variant];
  }
};

Pair pair_of(std::vector<double> before, std::vector<double> after) {
  Pair p;
  p.measurements = before_after(p.plan, std::move(before), std::move(after));
  p.summary = summarize({&p.plan, 1}, p.measurements, 0);
  return p;
}

TEST(Summary, TakesTheMedianOverReplicates) {
  const Pair p = pair_of({10, 30, 11}, {5, 5, 5});
  EXPECT_DOUBLE_EQ(*p[0].tpot_s, 0.011);
}

TEST(Summary, ComputesTheChangeFromTheShownTimes) {
  const Pair p = pair_of({95.6, 95.6}, {74.1, 74.1});
  EXPECT_DOUBLE_EQ(p[1].change->ratio, 74.1 / 95.6);
  EXPECT_FALSE(p[0].change);
}

TEST(Summary, PairsReplicatesOnLogRatiosForTheInterval) {
  const Pair p = pair_of({10, 20, 40}, {5, 11, 19});
  // Log ratios of 0.5, 0.55, 0.475; t(0.975, 2) = 4.302653.
  const double logs[] = {std::log(0.5), std::log(0.55), std::log(0.475)};
  const double centre = (logs[0] + logs[1] + logs[2]) / 3;
  double square = 0;
  for (const double l : logs) square += (l - centre) * (l - centre);
  const double half = 4.302653 * std::sqrt(square / 2) / std::sqrt(3.0);
  EXPECT_NEAR(p[1].change->interval->low, std::exp(centre - half), 1e-6);
  EXPECT_NEAR(p[1].change->interval->high, std::exp(centre + half), 1e-6);
  EXPECT_EQ(p[1].change->pairs, 3);
}

TEST(Summary, PredictsNothingFromAStepThatBeatsTheCopyBandwidth) {
  Pair p = pair_of({10}, {5});
  for (Measurement& m : p.measurements)
    m.stages = {{.stage = "cast", .seconds = 0.004, .bytes = 1e6}};
  const auto predicted = [&](double copy_bytes_per_s, std::size_t variant) {
    return summarize({&p.plan, 1}, p.measurements, copy_bytes_per_s)
        .workloads[0]
        .points[0]
        .cases[variant]
        .predicted_s;
  };
  EXPECT_DOUBLE_EQ(*predicted(1e9, 0), 1e-3);  // 1 MB at 1 GB/s: 1 ms of 10
  EXPECT_TRUE(predicted(1.5e8, 0));            // 6.7 ms of 10
  EXPECT_FALSE(predicted(1.5e8, 1));           // 6.7 ms of 5: it lay in a cache
}

TEST(Summary, GivesNoIntervalForOneReplicate) {
  const Pair p = pair_of({10}, {5});
  EXPECT_TRUE(p[1].change);
  EXPECT_FALSE(p[1].change->interval);
}

TEST(Summary, NamesPlannedCasesWithoutResultAsMissing) {
  const Pair p = pair_of({10, 10}, {});
  EXPECT_FALSE(p[1].status);
  EXPECT_EQ(p[1].status_word(), "missing");
  EXPECT_FALSE(p[1].reason.empty());
}

TEST(Summary, KeepsTheReasonOfASkippedPoint) {
  Workload w = workload("w", {"before"}, {at(4096)}, {"context"});
  w.points[0].skip = "does not fit";
  const RunSummary s = summarize({&w, 1}, {}, 0);
  EXPECT_EQ(s.workloads[0].points[0].cases[0].status, Status::skipped);
  EXPECT_EQ(s.workloads[0].points[0].cases[0].reason, "does not fit");
}

TEST(Summary, TakesTheSpeedOfACaseWhoseOneReplicateIsIncorrect) {
  Pair p = pair_of({10, 10}, {5, 5});
  p.measurements[3].status = Status::incorrect;
  p.measurements[3].reason = "off by one";
  p.summary = summarize({&p.plan, 1}, p.measurements, 0);
  EXPECT_EQ(p[1].status, Status::incorrect);
  EXPECT_FALSE(p[1].tpot_s);
  EXPECT_EQ(p[1].reason, "1 of 2 replicates incorrect: off by one");
}

TEST(Summary, KeepsTheSpeedOfTheReplicatesThatDidNotCrash) {
  Pair p = pair_of({10, 10, 10}, {5, 5, 5});
  p.measurements[4].status = Status::crashed;
  p.summary = summarize({&p.plan, 1}, p.measurements, 0);
  EXPECT_EQ(p[1].status, Status::crashed);
  EXPECT_DOUBLE_EQ(*p[1].tpot_s, 0.005);
  EXPECT_EQ(p[1].change->pairs, 2);
}

TEST(Summary, AttributesStepAndSavingToBytes) {
  Pair p = pair_of({95.6}, {31.0});
  p.measurements[0].stages = {{"cast", 0.0646, 66.8e9}, {"attention", 0.030, 1e9}};
  p.measurements[1].stages = {{"attention", 0.0305, 1e9}};
  p.summary = summarize({&p.plan, 1}, p.measurements, 1.8e12);
  EXPECT_NEAR(*p[0].unattributed_s, 0.001, 1e-12);
  EXPECT_NEAR(*p[0].stages[0].of_ceiling, 66.8e9 / 0.0646 / 1.8e12, 1e-12);
  EXPECT_NEAR(p[1].saving->achieved_s, 0.0646, 1e-12);
  // Shown: 67.80 GB and 1.000 GB over 1.800 TB/s are 37.67 ms and 0.5556 ms.
  EXPECT_NEAR(*p[1].saving->predicted_s, (37.67 - 0.5556) / 1e3, 1e-9);
}

TEST(Summary, ProjectsOnlyWithARestOfTheStep) {
  Pair p = pair_of({64.6}, {0.5});
  EXPECT_FALSE(p[0].projected_tpot_s);
  for (Measurement& m : p.measurements) m.what.parameters.rest_of_step_s = 0.031;
  p.plan.points[0].parameters.rest_of_step_s = 0.031;
  p.summary = summarize({&p.plan, 1}, p.measurements, 0);
  EXPECT_DOUBLE_EQ(*p[0].projected_tpot_s, 0.0956);
}

TEST(Summary, FitsALineOverPoolSize) {
  const testing::Quickstart run = testing::quickstart();
  const RunSummary s = summarize(run.workloads, run.measurements, run.copy_bytes_per_s);
  const std::vector<PoolFit>& fits = s.workloads[1].pool_fits;
  ASSERT_EQ(fits.size(), 3U);
  EXPECT_EQ(fits[0].variant, "full_pool_cast");
  EXPECT_GT(fits[0].line.r2, 0.9999);
  EXPECT_NEAR(fits[0].rise, 6.24, 0.01);
  EXPECT_NEAR(fits[2].rise, 0, 1e-9);
  EXPECT_TRUE(s.workloads[0].pool_fits.empty());
}

TEST(Summary, SeparatesAxesThatVaryFromThoseThatDoNot) {
  const Workload w = workload("w", {"before"}, {at(1024), at(4096)}, {"context", "pool_tokens"});
  const RunSummary s = summarize({&w, 1}, {}, 0);
  EXPECT_EQ(s.workloads[0].points[1].label, "context 4k");
  EXPECT_EQ(s.workloads[0].fixed, "pool_tokens 8k");
}

TEST(Summary, ShowsResultsThatNoPlanNames) {
  const Pair p = pair_of({10, 10}, {5, 5});
  const RunSummary s = summarize({}, p.measurements, 0);
  ASSERT_EQ(s.workloads.size(), 1U);
  EXPECT_EQ(s.workloads[0].points.size(), 1U);
  EXPECT_EQ(s.workloads[0].points[0].cases.size(), 2U);
  EXPECT_DOUBLE_EQ(*find_variant(s.workloads[0].points[0], "after")->tpot_s, 0.005);
}

TEST(Summary, TakesNoSpeedFromATimeOfZero) {
  for (const double zero : {0.0, 1e-300}) {
    const RunSummary s = pair_of({10, 10}, {zero, zero}).summary;
    EXPECT_FALSE(find_variant(s.workloads[0].points[0], "after")->tpot_s);
  }
}

TEST(Headline, NamesTheLargestGain) {
  const testing::Quickstart run = testing::quickstart();
  const RunSummary s = summarize(run.workloads, run.measurements, run.copy_bytes_per_s);
  EXPECT_EQ(sentence(headline(s)),
            "native_fp8 is 732 x faster than full_pool_cast at context 1k, pool_tokens 495552.");
}

TEST(Headline, SaysSoWhenNothingIsFaster) {
  EXPECT_EQ(
      sentence(headline(pair_of({10, 10}, {11, 11}).summary)),
      "No variant is faster than before: the nearest, after, is 10.0 % slower at context 4k.");
  RunSummary one = pair_of({11, 11}, {10, 10}).summary;  // of a workload without axes
  one.workloads[0].points[0].label = one.workloads[0].fixed = "";
  EXPECT_EQ(sentence(headline(one)), "after is 9.1 % faster a token than before.");
  EXPECT_EQ(sentence(headline(pair_of({10, 10}, {10, 10}).summary)),
            "No variant is faster than before: the nearest, after, is as fast at context 4k.");
  EXPECT_EQ(sentence(headline(RunSummary{})),
            "No variant has a speed beside a baseline's in this run.");
}

}  // namespace
}  // namespace bench
