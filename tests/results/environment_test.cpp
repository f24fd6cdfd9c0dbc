#include "results/environment.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bench {
namespace {

TEST(Fingerprint, DependsOnTheMachineAlone) {
  const std::vector<Fact> one{{"gpu0.model", "NVIDIA H200", FactRole::machine},
                              {"cpu_model", "Test CPU", FactRole::machine},
                              {"driver", "595.1", FactRole::software},
                              {"load_average", "0.10", FactRole::circumstance}};
  std::vector<Fact> other{one.rbegin(), one.rend()};
  other[1].value = "596.2";
  other[0].value = "7.50";
  EXPECT_EQ(fingerprint(other), fingerprint(one));
  other[3].value = "NVIDIA H100";
  EXPECT_NE(fingerprint(other), fingerprint(one));
}

TEST(HostFacts, SaysWhatTheHostIsWithoutWhatARebootChanges) {
  const auto facts = host_facts();
  const auto has = [&](const char* name) {
    return std::ranges::any_of(facts,
                               [&](const Fact& f) { return f.name == name && !f.value.empty(); });
  };
  for (const char* name :
       {"host", "cpu_threads", "memory", "kernel", "compiler", "bench_version"}) {
    EXPECT_TRUE(has(name)) << name;
  }
  EXPECT_EQ(fingerprint(host_facts()), fingerprint(facts));
}

TEST(FactRole, EveryNameReadsBackToItself) {
  for (const auto role : {FactRole::machine, FactRole::software, FactRole::circumstance}) {
    EXPECT_EQ(fact_role_from(to_string(role)), role);
  }
}

}  // namespace
}  // namespace bench
