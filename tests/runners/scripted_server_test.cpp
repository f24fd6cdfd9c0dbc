#include "runners/http/scripted_server.h"

#include <gtest/gtest.h>

#include <cmath>

#include "played_load.h"
#include "runners/http/self_test.h"

namespace bench {
namespace {

TEST(ScriptedServer, LogsWhenItWroteEachStep) {
  const auto answer = std::make_shared<const Script>(paced_stream(Seconds(0.01), Seconds(0.01), 3));
  ScriptedServer server([&](auto, auto) { return ScriptedAnswer{answer, 42}; });
  LoadPlan plan;
  plan.requests = 1;
  play(target_at(server.url(), 3), plan);
  server.stop();
  ASSERT_EQ(server.log().size(), 5u);  // head, three tokens, the end
  for (const ScriptedWrite& write : server.log()) {
    EXPECT_EQ(write.tag, 42);
    EXPECT_GE(write.written, write.due);
  }
  EXPECT_NEAR((server.log()[2].due - server.log()[1].due).count(), 0.01, 1e-9);
}

TEST(SelfTest, GivesTheCeilingOfTheClient) {
  const ClientCeiling ceiling = measure_ceiling(2, 40000, Seconds(10));
  EXPECT_GT(ceiling.events_per_s, 0);
  EXPECT_GT(ceiling.events_per_cpu_s, 0);
}

TEST(SelfTest, GivesErrorsThatAreNotNegativeAndARateThatIsTheScripts) {
  const PacedErrors errors = measure_paced(
      {.streams = 4, .first = Seconds(0.01), .interval = Seconds(0.01), .tokens = 20});
  EXPECT_GT(errors.timestamp_p50_s, 0);
  EXPECT_GE(errors.timestamp_p99_s, errors.timestamp_p50_s);
  EXPECT_GE(errors.ttft_s, 0.01);
  EXPECT_TRUE(std::isfinite(errors.tpot_error));
}

}  // namespace
}  // namespace bench
