#include "results/fitness.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

const std::vector<Fact> kFacts{{"gpu0.model", "H200", FactRole::machine},
                               {"gpu0.driver", "595.1", FactRole::software},
                               {"load_average", "0.5", FactRole::circumstance}};

TEST(Fitness, EqualFactsDoNotDiffer) { EXPECT_TRUE(differences(kFacts, kFacts).empty()); }

TEST(Fitness, ListsSoftwareAndAllowsIt) {
  auto after = kFacts;
  after[1].value = "600.0";
  const auto found = differences(kFacts, after);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].name, "gpu0.driver");
  EXPECT_EQ(found[0].baseline, "595.1");
  EXPECT_EQ(found[0].candidate, "600.0");
  EXPECT_EQ(unfit(found), "");
}

TEST(Fitness, NamesTheMachineFactThatForbidsAComparison) {
  auto after = kFacts;
  after[0].value = "B200";
  after[1].value = "600.0";
  const auto found = differences(kFacts, after);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].role, FactRole::machine);  // first
  EXPECT_EQ(unfit(found), "the machines differ: gpu0.model (H200, now B200)");
}

TEST(Fitness, AMachineFactOfOneSideOnlyForbidsAComparison) {
  auto after = kFacts;
  after.push_back({"gpu1.model", "H200", FactRole::machine});
  EXPECT_EQ(unfit(differences(kFacts, after)),
            "the machines differ: gpu1.model (absent, now H200)");
  EXPECT_EQ(unfit(differences(after, kFacts)),
            "the machines differ: gpu1.model (H200, now absent)");
}

TEST(Fitness, ANameSaidOnceADeviceCountsTheDevices) {
  const std::vector<Fact> one{{"device", "H200", FactRole::machine}};
  const std::vector<Fact> two{{"device", "H200", FactRole::machine},
                              {"device", "H200", FactRole::machine}};
  EXPECT_EQ(unfit(differences(one, two)), "the machines differ: device (H200, now H200, H200)");
  EXPECT_TRUE(differences(two, two).empty());
}

TEST(Fitness, CircumstancesAlwaysDiffer) {
  auto after = kFacts;
  after[2].value = "7.5";
  EXPECT_TRUE(differences(kFacts, after).empty());
}

}  // namespace
}  // namespace bench
