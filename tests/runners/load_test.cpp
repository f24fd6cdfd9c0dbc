#include "runners/http/load.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/error.h"
#include "harness/statistics.h"
#include "played_load.h"
#include "runners/http/request_metrics.h"

namespace bench {
namespace {

ScriptedServer::Answer paced_answer(double first, double interval, int tokens) {
  const auto answer =
      std::make_shared<const Script>(paced_stream(Seconds(first), Seconds(interval), tokens));
  return [answer](auto, auto) { return ScriptedAnswer{answer}; };
}

std::int64_t of_phase(const Played& played, Phase phase) {
  return std::ranges::count(played.records, phase, &RequestRecord::phase);
}

TEST(Load, KeepsTheAskedConcurrencyAndStopsAtTheAskedNumber) {
  ScriptedServer server(paced_answer(0.01, 0.005, 10));
  LoadPlan plan;
  plan.concurrency = 4;
  plan.requests = 16;
  const Played played = play(target_at(server.url(), 10), plan);
  ASSERT_EQ(played.records.size(), 16u);
  std::set<std::int64_t> users, numbers;
  for (const RequestRecord& record : played.records) {
    EXPECT_EQ(record.failure, Failure::none) << record.error;
    users.insert(record.user);
    numbers.insert(record.index);
  }
  EXPECT_EQ(users.size(), 4u);
  EXPECT_EQ(numbers.size(), 16u);
  const Window window = steady_window(played.records, Seconds(0));
  EXPECT_GT(window.length(), Seconds(0));
  EXPECT_GT(requests_in_flight(played.records, window), 3);
  EXPECT_LE(requests_in_flight(played.records, window), 4.0);
}

TEST(Load, WarmsUpThenMeasuresForAsLongAsAsked) {
  ScriptedServer server(paced_answer(0.01, 0.005, 5));
  LoadPlan plan;
  plan.concurrency = 2;
  plan.warm_up = Seconds(0.2);
  plan.duration = Seconds(0.3);
  const Played played = play(target_at(server.url(), 5), plan);
  EXPECT_GT(of_phase(played, Phase::warm_up), 2);
  EXPECT_GT(of_phase(played, Phase::measured), 2);
  for (const RequestRecord& record : played.records) {
    EXPECT_EQ(record.phase == Phase::measured, record.due >= Seconds(0.2));
    EXPECT_LT(record.due, Seconds(0.5));
  }
}

TEST(Load, MeasuresARequestOfEachUserHoweverLongItTakes) {
  ScriptedServer server(paced_answer(0.2, 0.01, 5));
  LoadPlan plan;
  plan.concurrency = 3;
  plan.warm_up = Seconds(0.05);
  plan.duration = Seconds(0.05);
  const Played played = play(target_at(server.url(), 5), plan);
  EXPECT_EQ(of_phase(played, Phase::measured), 3);
}

TEST(Load, StopsAtTheFirstOfTwoLimits) {
  ScriptedServer server(paced_answer(0.01, 0.005, 2));
  LoadPlan plan;
  plan.requests = 1000;
  plan.duration = Seconds(0.2);
  const std::size_t by_time = play(target_at(server.url(), 2), plan).records.size();
  EXPECT_GT(by_time, 1u);
  EXPECT_LT(by_time, 30u);
  plan.requests = 3;
  plan.duration = Seconds(100);
  EXPECT_EQ(play(target_at(server.url(), 2), plan).records.size(), 3u);
}

TEST(Load, LetsTheUsersJoinOverTheRamp) {
  ScriptedServer server(paced_answer(0.3, 0.01, 2));
  LoadPlan plan;
  plan.concurrency = plan.requests = 4;
  plan.ramp = Seconds(0.2);
  Played played = play(target_at(server.url(), 2), plan);
  std::ranges::sort(played.records, {}, &RequestRecord::user);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GE(played.records.at(i).due.count(), 0.05 * static_cast<double>(i));
  }
}

TEST(Load, SendsAnOpenLoopOnItsScheduleWhateverTheServerDoes) {
  ScriptedServer server(paced_answer(0.2, 0.001, 2));
  LoadPlan plan;
  plan.rate_per_s = 100;
  plan.arrival = Arrival::constant;
  plan.requests = 50;
  const Played played = play(target_at(server.url(), 2), plan);
  ASSERT_EQ(played.records.size(), 50u);
  for (const RequestRecord& record : played.records) {
    EXPECT_EQ(record.failure, Failure::none) << record.error;
    EXPECT_NEAR(record.due.count(), 0.01 * static_cast<double>(record.index + 1), 1e-9);
    EXPECT_GE(record.sent, record.due);
    EXPECT_GE(ttft(record)->count(), 0.2);
  }
}

TEST(Load, CountsTheWaitForAFreeStreamInTheLatency) {
  ScriptedServer server(paced_answer(0.1, 0.001, 2));
  LoadPlan plan;
  plan.rate_per_s = 1000;
  plan.arrival = Arrival::constant;
  plan.requests = 6;
  plan.concurrency = 2;
  const Played played = play(target_at(server.url(), 2), plan);
  Seconds slowest{0};
  for (const RequestRecord& record : played.records) slowest = std::max(slowest, *ttft(record));
  EXPECT_GE(slowest.count(), 0.29);  // third in its stream
}

TEST(Load, SchedulesTheExactRateWithRandomGaps) {
  LoadPlan plan;
  plan.rate_per_s = 50;
  plan.requests = 1000;
  plan.warm_up = Seconds(2);
  plan.seed = 3;
  const std::vector<DueRequest> due = schedule(plan);
  ASSERT_EQ(due.size(), 1100u);
  EXPECT_EQ(due[99].phase, Phase::warm_up);
  EXPECT_NEAR(due[99].due.count(), 2, 1e-9);
  EXPECT_EQ(due[100].phase, Phase::measured);
  EXPECT_NEAR(due.back().due.count(), 22, 1e-9);
  std::vector<double> gaps;
  for (std::size_t i = 101; i < due.size(); ++i)
    gaps.push_back((due[i].due - due[i - 1].due).count());
  EXPECT_NEAR(standard_deviation(gaps) / mean(gaps), 1, 0.1);  // exponential
  EXPECT_EQ(schedule(plan)[500].due, due[500].due);
  plan.seed = 4;
  EXPECT_NE(schedule(plan)[500].due, due[500].due);
}

TEST(Load, RefusesAnOpenLoopWithoutAnEnd) {
  LoadPlan plan;
  plan.rate_per_s = 1;
  EXPECT_THROW(schedule(plan), Error);
}

TEST(Load, PassesOnWhatTheWriterOfBodiesThrows) {
  ScriptedServer server(paced_answer(0, 0.001, 2));
  LoadTarget target = target_at(server.url(), 2);
  target.body = [](std::int64_t) -> std::string { fail("no prompt"); };
  LoadPlan plan;
  plan.requests = 1;
  EXPECT_THROW(play(target, plan), Error);
}

TEST(Load, GoesOnWhenSomeRequestsFail) {
  std::atomic<int> count{0};
  ScriptedServer server([&](auto, auto) {
    return ScriptedAnswer{++count % 2 == 0
                              ? script({{Seconds(0), http_head("500 Oops", "text/plain", 0)}})
                              : script({{Seconds(0), stream(2)}})};
  });
  LoadPlan plan;
  plan.requests = 10;
  const Played played = play(target_at(server.url(), 2), plan);
  EXPECT_EQ(std::ranges::count(played.records, Failure::http_status, &RequestRecord::failure), 5);
  EXPECT_EQ(std::ranges::count(played.records, Failure::none, &RequestRecord::failure), 5);
}

}  // namespace
}  // namespace bench
