#include "runners/http/pass_result.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

// Five tokens, one every `gap`, of a server that says it took `theirs` for the last four.
RequestRecord timed(Seconds gap, Seconds theirs) {
  RequestRecord record;
  record.sent = Seconds(0);
  for (int i = 1; i <= 5; ++i) {
    record.events.push_back({gap * i, 1, CountSource::engine, EventKind::text});
  }
  record.output_asked = record.output_got = 5;
  record.server_decode = theirs;
  record.server_decode_tokens = 4;
  record.end = gap * 5;
  return record;
}

Measurement judged(const std::vector<RequestRecord>& records) {
  PassFacts facts;
  facts.records = records;
  facts.outcome.wall = Seconds(1);
  Measurement measurement;
  judge(facts, measurement);
  return measurement;
}

TEST(PassResult, HoldsTheServersOwnClockBesideOurs) {
  const Measurement same = judged({timed(Seconds(0.010), Seconds(0.040))});
  EXPECT_NEAR(*same.metric("server_tpot_s"), 0.010, 1e-12);
  EXPECT_NEAR(*same.metric("server_tpot_difference"), 0, 1e-9);
  EXPECT_EQ(same.reason.find("own clock"), std::string::npos) << same.reason;
  const Measurement other =
      judged({timed(Seconds(0.010), Seconds(0.032)), timed(Seconds(0.010), Seconds(0.036))});
  EXPECT_NEAR(*other.metric("server_tpot_s"), 0.0085, 1e-12);
  EXPECT_NEAR(*other.metric("server_tpot_difference"), 0.25, 1e-9);
  EXPECT_NE(other.reason.find("TPOT is 8.500 ms by the server's own clock"), std::string::npos)
      << other.reason;
}

TEST(PassResult, SaysNothingOfAClockThatTheServerDoesNotTell) {
  RequestRecord record = timed(Seconds(0.010), Seconds(-1));
  record.server_decode_tokens = kUnknown;
  EXPECT_FALSE(judged({record}).metric("server_tpot_s").has_value());
}

}  // namespace
}  // namespace bench
