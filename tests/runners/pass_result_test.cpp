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

TEST(PassResult, MarksACellThatCameNearWhatTheClientCanDo) {
  PassFacts facts;
  facts.records = {timed(Seconds(0.010), Seconds(0.040))};  // five events
  facts.outcome.wall = Seconds(1);
  const auto with = [&](double ceiling, double cpu_s) {
    facts.ceiling = ClientCeiling{.events_per_s = ceiling};
    facts.outcome.cpu = Seconds(cpu_s);
    Measurement measurement;
    judge(facts, measurement);
    return measurement;
  };
  EXPECT_EQ(with(11, 0.1).status, Status::ok);
  EXPECT_EQ(with(9, 0.1).status, Status::invalid);
  EXPECT_TRUE(with(9, 0.1).reason.starts_with("client bound: 5 events/s of 9"))
      << with(9, 0).reason;
  EXPECT_EQ(with(11, 0.9).status, Status::invalid);
  EXPECT_TRUE(with(11, 0.9).reason.starts_with("client bound: its event loop was busy 90 %"));
}

TEST(PassResult, SaysWhatTheServersGaugesShowedAndWhatCameBeyondWhatWasAsked) {
  PassFacts facts;
  facts.records = {timed(Seconds(0.010), Seconds(0.040))};
  facts.records[0].output_asked = 4;
  facts.outcome.wall = Seconds(1);
  facts.peak_waiting = 3;
  facts.outcome.body_waits = 2;
  facts.pool_tokens = 495552;
  Measurement measurement;
  judge(facts, measurement);
  EXPECT_EQ(measurement.status, Status::invalid);
  EXPECT_TRUE(measurement.reason.starts_with(
      "1 request gave more tokens than asked (4, the server counted 5)"))
      << measurement.reason;
  EXPECT_NE(measurement.reason.find("up to 3 requests waited in the server"), std::string::npos);
  EXPECT_NE(measurement.reason.find("2 requests waited for a prompt"), std::string::npos);
  EXPECT_EQ(measurement.metric("server_pool_tokens"), 495552);
}

TEST(PassResult, AllowsOneTokenInAHundredMoreThanAsked) {
  RequestRecord record = timed(Seconds(0.010), Seconds(0.040));
  record.output_asked = 100;
  record.output_got = 101;
  EXPECT_EQ(judged({record}).status, Status::ok);
  EXPECT_NE(judged({record}).reason.find("(100, the server counted 101)"), std::string::npos);
  record.output_got = 102;
  EXPECT_EQ(judged({record}).status, Status::invalid);
}

TEST(PassResult, SaysWhyARequestHasNoTpot) {
  RequestRecord record = timed(Seconds(0), Seconds(0.040));
  EXPECT_FALSE(judged({record}).metric("tpot_s").has_value());
  EXPECT_NE(judged({record}).reason.find("no TPOT of 1 request: one arrival of tokens has no rate"),
            std::string::npos)
      << judged({record}).reason;
  record.output_asked = record.output_got = 1;
  record.events.resize(1);
  EXPECT_EQ(judged({record}).reason.find("no TPOT"), std::string::npos);
}

TEST(PassResult, KnowsACounterThatFellForOneThatBeganAnew) {
  PassFacts facts;
  facts.records = {timed(Seconds(0.010), Seconds(0.040))};
  facts.outcome.wall = Seconds(1);
  facts.before.output_tokens = 100;
  facts.after.output_tokens = 5;
  Measurement measurement;
  judge(facts, measurement);
  EXPECT_EQ(measurement.status, Status::invalid);
  EXPECT_TRUE(measurement.reason.starts_with(
      "the server's token counter fell from 100 to 5: was it restarted?"))
      << measurement.reason;
}

TEST(PassResult, AllowsAPromptOfTextFivePercentOfItsLength) {
  PassFacts facts;
  facts.exact_prompts = false;
  facts.records = {timed(Seconds(0.010), Seconds(0.040))};
  facts.outcome.wall = Seconds(1);
  const auto with = [&](std::int64_t got) {
    facts.records[0].prompt_asked = 100;
    facts.records[0].prompt_got = got;
    Measurement measurement;
    judge(facts, measurement);
    return measurement.status;
  };
  EXPECT_EQ(with(95), Status::ok);
  EXPECT_EQ(with(94), Status::invalid);
  EXPECT_EQ(with(106), Status::invalid);
}

TEST(PassResult, SaysNothingOfAClockThatTheServerDoesNotTell) {
  RequestRecord record = timed(Seconds(0.010), Seconds(-1));
  record.server_decode_tokens = kUnknown;
  EXPECT_FALSE(judged({record}).metric("server_tpot_s").has_value());
}

}  // namespace
}  // namespace bench
