#include "runners/http/http_client.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "played_load.h"
#include "runners/http/clock.h"
#include "runners/http/http_fetch.h"
#include "runners/http/request_metrics.h"

namespace bench {
namespace {

using Then = ScriptStep::Then;

TEST(HttpClient, ReadsAStreamHoweverItIsWritten) {
  for (const std::size_t bytes : {0, 1, 3, 7, 64}) {
    const RequestRecord record = answered_by(script({{Seconds(0), stream(2)}}, bytes));
    EXPECT_EQ(record.failure, Failure::none) << record.error;
    EXPECT_EQ(record.output_got, 2);
    EXPECT_EQ(record.prompt_got, 4);
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.http_status, 200);
    EXPECT_FALSE(record.reused);
    EXPECT_GT(record.connect, Seconds(0));
  }
}

TEST(HttpClient, TimesAreThoseOfTheScript) {
  const std::string head = http_head("200 OK", "text/event-stream");
  const RequestRecord record =
      answered_by(script({{Seconds(0), head},
                          {Seconds(0.05), http_chunk(token(1))},
                          {Seconds(0.15), http_chunk(token(2, true))},
                          {Seconds(0.15), http_chunk("data: [DONE]\n\n") + http_chunk("")}}));
  EXPECT_EQ(record.failure, Failure::none) << record.error;
  EXPECT_GE(ttft(record)->count(), 0.05);
  EXPECT_GE(e2e(record)->count(), 0.15);
  EXPECT_NEAR(tpot(record)->count(), (*e2e(record) - *ttft(record)).count(), 1e-9);
  EXPECT_LE(record.due, record.sent);
  EXPECT_LE(record.sent, record.first_byte);
  EXPECT_LE(record.first_byte, record.events.front().time);
  EXPECT_LE(record.events.back().time, record.end);
}

TEST(HttpClient, KeepsTheStatusAndTheBeginningOfTheBodyOfAnError) {
  const std::string body = R"({"error":"busy")" + std::string(10000, 'x');
  const RequestRecord record = answered_by(
      script({{Seconds(0), http_head("429 Too Many Requests", "application/json",
                                     static_cast<std::int64_t>(body.size()), "Retry-After: 7\r\n") +
                               body}}));
  EXPECT_EQ(record.failure, Failure::http_status);
  EXPECT_EQ(record.http_status, 429);
  EXPECT_TRUE(record.error.starts_with("HTTP 429, Retry-After: 7: {\"error\":\"busy\""))
      << record.error;
  EXPECT_EQ(record.error.size(), kKeptErrorBytes);
  EXPECT_EQ(record.attempts, 1);
}

TEST(HttpClient, TellsAResetFromATruncation) {
  const std::string head = http_head("200 OK", "text/event-stream");
  const std::string first = head + http_chunk(token(1));
  EXPECT_EQ(answered_by(script({{Seconds(0), "", Then::reset}})).failure, Failure::reset);
  EXPECT_EQ(answered_by(script({{Seconds(0), "", Then::close}})).failure, Failure::reset);
  EXPECT_EQ(answered_by(script({{Seconds(0), first}, {Seconds(0.02), "", Then::reset}})).failure,
            Failure::reset);
  EXPECT_EQ(answered_by(script({{Seconds(0), first}, {Seconds(0.02), "", Then::close}})).failure,
            Failure::truncated);
  // Without a length, a close is the end of the body: only the missing end mark shows it.
  const std::string unbounded = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
  EXPECT_EQ(
      answered_by(script({{Seconds(0), unbounded + token(1)}, {Seconds(0.02), "", Then::close}}))
          .failure,
      Failure::truncated);
  EXPECT_EQ(answered_by(script({{Seconds(0), unbounded + token(1) + token(2, true)},
                                {Seconds(0.02), "", Then::close}}))
                .failure,
            Failure::none);
}

TEST(HttpClient, EndsASilentStreamAndOneThatOnlyPings) {
  LoadPlan plan;
  plan.stall_timeout = Seconds(0.2);
  Steps pings = {{Seconds(0), http_head("200 OK", "text/event-stream") + http_chunk(token(1))}};
  for (int i = 1; i < 100; ++i) pings.push_back({Seconds(0.05 * i), http_chunk(": ping\n\n")});
  const RequestRecord pinged = answered_by(script(pings), plan);
  EXPECT_EQ(pinged.failure, Failure::stalled);
  EXPECT_LT(pinged.end, Seconds(4.9));  // before the pings end
  EXPECT_EQ(pinged.events.size(), 1u);
  EXPECT_EQ(pinged.error, "no data within stall_timeout_s");  // tokens are no words of an error
  pings.resize(1);
  pings.push_back({Seconds(100), ""});
  EXPECT_EQ(answered_by(script(pings), plan).failure, Failure::stalled);
}

TEST(HttpClient, ReadsAStreamThatComesByteByByte) {
  const std::string bytes = stream(2);
  LoadPlan plan;
  plan.stall_timeout = Seconds(0.5);  // less than the whole takes
  Steps drip;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    drip.push_back({Seconds(0.002 * static_cast<double>(i)), bytes.substr(i, 1)});
  }
  ASSERT_GT(drip.back().at, plan.stall_timeout);
  const RequestRecord record = answered_by(script(drip), plan);
  EXPECT_EQ(record.failure, Failure::none) << record.error;
  EXPECT_EQ(record.output_got, 2);
  EXPECT_EQ(record.anomaly, "");
  // A token is there when its last byte is: the second one's begins after the first one's end.
  const double second = static_cast<double>(token(2, true).size());
  EXPECT_GT(tpot(record)->count(), 0.002 * second / 2);
}

TEST(HttpClient, EndsWhatTakesTooLong) {
  LoadPlan plan;
  plan.request_timeout = Seconds(0.2);
  EXPECT_EQ(answered_by(script({{Seconds(100), ""}}), plan).failure, Failure::timeout);
  Steps drip = {{Seconds(0), http_head("200 OK", "text/event-stream")}};
  for (int i = 1; i < 100; ++i) drip.push_back({Seconds(0.05 * i), http_chunk(token(i))});
  EXPECT_EQ(answered_by(script(drip), plan).failure, Failure::timeout);
}

TEST(HttpClient, WaitsNoLongerForABodyWhoseEndMarkHasCome) {
  std::string whole = stream(2);
  whole.resize(whole.size() - http_chunk("").size());
  LoadPlan plan;
  plan.stall_timeout = Seconds(30);
  const RequestRecord open = answered_by(script({{Seconds(0), whole}, {Seconds(100), ""}}), plan);
  EXPECT_EQ(open.failure, Failure::none) << open.error;
  EXPECT_EQ(open.output_got, 2);
  EXPECT_EQ(open.anomaly, "the body did not end after the end mark");
  EXPECT_EQ(open.end, open.events.back().time);
  const RequestRecord cut =
      answered_by(script({{Seconds(0), whole}, {Seconds(0.02), "", Then::reset}}), plan);
  EXPECT_EQ(cut.failure, Failure::none) << cut.error;
  EXPECT_TRUE(cut.anomaly.starts_with("after the end mark: ")) << cut.anomaly;
}

TEST(HttpClient, KnowsAPageForNoStream) {
  const auto answer = [](const std::string& type, const std::string& body) {
    return answered_by(script(
        {{Seconds(0), http_head("200 OK", type, static_cast<std::int64_t>(body.size())) + body}}));
  };
  const RequestRecord page = answer("text/html", "<html>\n<p>log in\x1b[31m</p>\n</html>\n");
  EXPECT_EQ(page.failure, Failure::protocol);
  EXPECT_EQ(page.error,
            "the answer is not the stream that was asked for: <html> <p>log in [31m</p> </html>");
  EXPECT_EQ(page.anomaly, "the content type is 'text/html'");
  const RequestRecord stream =
      answer("application/json", token(1) + token(2, true) + "data: [DONE]\n\n");
  EXPECT_EQ(stream.failure, Failure::none);
  EXPECT_EQ(stream.output_got, 2);
  EXPECT_EQ(stream.anomaly, "the content type is 'application/json'");
}

TEST(HttpClient, NamesACompressedAnswerThatItDidNotAskFor) {
  const RequestRecord record = answered_by(script(
      {{Seconds(0), http_head("200 OK", "text/event-stream", 4, "Content-Encoding: gzip\r\n") +
                        "\x1f\x8b\x08\x01"}}));
  EXPECT_EQ(record.failure, Failure::protocol);
  EXPECT_NE(record.error.find("compressed (gzip)"), std::string::npos) << record.error;
}

TEST(HttpClient, PassesOverContinueAndTrailers) {
  std::string bytes = "HTTP/1.1 100 Continue\r\n\r\n" + stream(2);
  bytes.resize(bytes.size() - 2);
  bytes += "X-Trailer: 1\r\n\r\n";
  const RequestRecord record = answered_by(script({{Seconds(0), bytes}}));
  EXPECT_EQ(record.failure, Failure::none) << record.error;
  EXPECT_EQ(record.output_got, 2);
}

TEST(HttpClient, FindsAnErrorInABodyThatIsNoStream) {
  const std::string body = R"({"error":{"message":"out of memory"}})";
  const RequestRecord record = answered_by(script(
      {{Seconds(0),
        http_head("200 OK", "application/json", static_cast<std::int64_t>(body.size())) + body}}));
  EXPECT_EQ(record.failure, Failure::error_event);
  EXPECT_TRUE(record.error.starts_with("out of memory")) << record.error;
}

TEST(HttpClient, SendsLargeBodiesWithoutWaitingForLeave) {
  std::string seen;
  std::size_t bytes = 0;
  ScriptedServer server([&](std::string_view head, std::string_view body) {
    seen = head;
    bytes = body.size();
    return ScriptedAnswer{script({{Seconds(0), stream(2)}})};
  });
  LoadTarget target = target_at(server.url(), 2);
  target.body = [](std::int64_t) { return std::string(std::size_t{3} << 20, ' '); };
  LoadPlan plan;
  plan.requests = 1;
  const RequestRecord record = play(target, plan).records.at(0);
  EXPECT_EQ(record.failure, Failure::none) << record.error;
  EXPECT_EQ(bytes, std::size_t{3} << 20);
  EXPECT_EQ(seen.find("Expect"), std::string::npos);
  EXPECT_EQ(seen.find("Accept-Encoding"), std::string::npos);
}

// Notes when it was sent and when its first byte came.
class Noted : public TransferHandler {
 public:
  Seconds sent{-1}, head{-1}, bytes{-1};
  bool ended = false;
  void on_sent(Seconds now) override { sent = now; }
  void on_head(Seconds now, const ResponseHead& /*head*/) override { head = now; }
  bool on_bytes(Seconds now, std::string_view /*bytes*/) override {
    if (bytes < Seconds{0}) bytes = now;
    return true;
  }
  void on_end(Seconds /*now*/, const TransferEnd& /*end*/) override { ended = true; }
};

TEST(HttpClient, TakesTheTimeThatBytesCameHoweverLateItReadsThem) {
  std::atomic<std::int64_t> number{0};
  ScriptedServer server([&](auto, auto) {
    return ScriptedAnswer{script({{Seconds(0.2), stream(2)}}), number++};
  });
  const auto loop = HttpLoop::make({.url = server.url(), .key = {}}, 8);
  std::array<Noted, 8> noted;
  for (Noted& transfer : noted) loop->start("/", "{}", transfer);
  const auto all_sent = [&] {
    return std::ranges::all_of(noted, [](const Noted& n) { return n.sent >= Seconds{0}; });
  };
  while (!all_sent()) loop->poll(monotonic_now() + Seconds(0.01));
  std::this_thread::sleep_for(std::chrono::milliseconds(700));  // all answers are there
  const Seconds looked = monotonic_now();
  while (loop->active() > 0) loop->poll(monotonic_now() + Seconds(0.01));
  server.stop();
  Seconds last{0};
  for (const ScriptedWrite& write : server.log()) last = std::max(last, write.written);
  if (looked - last < Seconds(0.1)) GTEST_SKIP() << "too busy here";
  for (const Noted& transfer : noted) {
    EXPECT_GT(transfer.bytes, transfer.sent + Seconds(0.1));
    EXPECT_EQ(transfer.head, transfer.bytes);
    EXPECT_LT(transfer.bytes, looked - Seconds(0.05));
    EXPECT_TRUE(transfer.ended);
  }
}

TEST(HttpClient, FetchesAndSaysWhyItCannot) {
  ScriptedServer server([](std::string_view head, std::string_view body) {
    const std::string answer =
        std::string(head.substr(0, head.find(' '))) + ":" + std::string(body);
    return ScriptedAnswer{script(
        {{Seconds(0),
          http_head("200 OK", "text/plain", static_cast<std::int64_t>(answer.size())) + answer}})};
  });
  HttpFetch fetch({.url = server.url(), .key = {}});
  EXPECT_EQ(fetch.get("/x", Seconds(5)).body, "GET:");
  EXPECT_EQ(fetch.post("/x", "{}", Seconds(5)).body, "POST:{}");
  server.stop();
  const HttpAnswer none = fetch.get("/x", Seconds(0.2));
  EXPECT_EQ(none.status, 0);
  EXPECT_FALSE(none.words.empty());
}

}  // namespace
}  // namespace bench
