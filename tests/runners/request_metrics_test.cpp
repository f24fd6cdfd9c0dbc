#include "runners/http/request_metrics.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

// `tokens` tokens of one each, `gap` apart, the first `first` after `sent`.
RequestRecord paced_request(double sent, double first, double gap, int tokens,
                            std::int64_t user = 0) {
  RequestRecord record;
  record.user = user;
  record.sent = Seconds(sent);
  for (int i = 0; i < tokens; ++i) {
    record.events.push_back(
        {Seconds(sent + first + gap * i), 1, CountSource::usage, EventKind::text});
  }
  record.output_got = tokens;
  record.end = Seconds(sent + first + gap * (tokens - 1));
  return record;
}

TEST(RequestMetrics, CountFromTheDueTimeInAnOpenLoop) {
  RequestRecord record = paced_request(1.5, 0.25, 0.5, 3);
  EXPECT_EQ(*ttft(record), Seconds(0.25));
  EXPECT_EQ(*e2e(record), Seconds(1.25));
  record.open_loop = true;
  record.due = Seconds(1.0);
  EXPECT_EQ(*ttft(record), Seconds(0.75));
  EXPECT_EQ(*e2e(record), Seconds(1.75));
  EXPECT_EQ(*tpot(record), Seconds(0.5));
}

TEST(RequestMetrics, HaveNoTpotForOneToken) {
  EXPECT_FALSE(tpot(paced_request(0, 1, 1, 1)).has_value());
  EXPECT_FALSE(tpot(paced_request(0, 1, 1, 0)).has_value());
  EXPECT_FALSE(ttft(paced_request(0, 1, 1, 0)).has_value());
}

TEST(RequestMetrics, HaveNoTpotWhereAllTokensCameInOneRead) {
  const RequestRecord record = paced_request(0, 1, 0, 8);
  EXPECT_FALSE(tpot(record).has_value());
  EXPECT_EQ(tpot_missing(record), "one arrival of tokens has no rate");
}

TEST(RequestMetrics, GuessNoShareOfTheTokensThatAChunkHolds) {
  RequestRecord record = paced_request(0, 1, 0.5, 4);  // in seconds 1, 1.5, 2 and 2.5
  for (StreamEvent& event : record.events) event.source = CountSource::assumed;
  record.output_source = CountSource::limit;
  EXPECT_EQ(itl(record), (std::vector<double>{0.5, 0.5, 0.5}));  // four chunks were four tokens
  record.output_got = 7;
  EXPECT_TRUE(itl(record).empty());
  EXPECT_EQ(*tpot(record), Seconds(1.5) / 6);
  const std::vector<RequestRecord> records = {record};
  EXPECT_DOUBLE_EQ(tokens_within(records, {Seconds(0), Seconds(3)}), 7);
  EXPECT_DOUBLE_EQ(tokens_within(records, {Seconds(1), Seconds(2)}), 3.5);
}

TEST(RequestMetrics, DivideByTheTokensAfterTheFirstEvent) {
  RequestRecord record = paced_request(0, 1, 0.5, 3);
  record.events[0].tokens = 4;  // 4 + 1 + 1
  record.output_got = 6;
  EXPECT_EQ(*tpot(record), Seconds(0.5));
}

TEST(RequestMetrics, TheWindowOfOneBatchIsFromTheLastFirstTokenToTheFirstFinish) {
  const std::vector<RequestRecord> records = {paced_request(0, 1, 1, 10, 0),
                                              paced_request(0, 3, 1, 10, 1)};
  const Window window = steady_window(records, Seconds(0));
  EXPECT_EQ(window.begin, Seconds(3));
  EXPECT_EQ(window.end, Seconds(10));
  EXPECT_EQ(tokens_within(records, window), 14);  // two users, one token a second each
  EXPECT_DOUBLE_EQ(requests_in_flight(records, window), 2);
}

TEST(RequestMetrics, TheWindowBeginsAfterTheWarmUpAndEndsWithTheFirstIdleUser) {
  const std::vector<RequestRecord> records = {
      paced_request(0, 1, 1, 5, 0), paced_request(5, 1, 1, 5, 0), paced_request(0, 1, 1, 5, 1),
      paced_request(5, 1, 1, 9, 1)};
  const Window window = steady_window(records, Seconds(2));
  EXPECT_EQ(window.begin, Seconds(2));
  EXPECT_EQ(window.end, Seconds(10));
  EXPECT_EQ(requests_ended_within(records, window), 3);
}

TEST(RequestMetrics, AUserWhoNeverOverlapsLeavesNoWindow) {
  const std::vector<RequestRecord> records = {paced_request(0, 1, 1, 2, 0),
                                              paced_request(10, 1, 1, 2, 1)};
  EXPECT_EQ(steady_window(records, Seconds(0)).length(), Seconds(0));
}

}  // namespace
}  // namespace bench
