#include "runners/http/http_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "played_load.h"
#include "runners/http/http_fetch.h"
#include "runners/http/request_run.h"
#include "runners/http/server_words.h"

namespace bench {
namespace {

using Then = ScriptStep::Then;

TEST(HttpConnection, TakesNoCredentialsToWhereItIsRedirected) {
  const ScriptedServer other([](auto, auto) { return ScriptedAnswer{}; });
  const std::string elsewhere = "Location: " + other.url() + "/v1/completions\r\n";
  ScriptedServer server([&](auto, auto) {
    return ScriptedAnswer{
        script({{Seconds(0), http_head("307 Temporary Redirect", "text/plain", 0, elsewhere)}})};
  });
  LoadTarget target = target_at(server.url(), 2);
  target.endpoint.key = "sk-secret-123";
  LoadPlan plan;
  plan.requests = 1;
  EXPECT_EQ(play(target, plan).records.at(0).http_status, 307);
  EXPECT_EQ(HttpFetch(target.endpoint).get("/metrics", Seconds(5)).status, 307);
  EXPECT_EQ(other.requests(), 0);
  EXPECT_EQ(server.requests(), 2);
}

TEST(HttpConnection, FollowsNoRedirect) {
  ScriptedServer server([](auto, auto) {
    return ScriptedAnswer{script(
        {{Seconds(0), http_head("302 Found", "text/plain", 0, "Location: /elsewhere\r\n")}})};
  });
  LoadPlan plan;
  plan.requests = 1;
  const RequestRecord record = play(target_at(server.url(), 2), plan).records.at(0);
  EXPECT_EQ(record.failure, Failure::http_status);
  EXPECT_EQ(record.http_status, 302);
  EXPECT_EQ(server.requests(), 1);
}

TEST(HttpConnection, CallsAConnectionThatNobodyTakesRefused) {
  std::string url;
  {
    const ScriptedServer server([](auto, auto) { return ScriptedAnswer{}; });
    url = server.url();
  }
  LoadPlan plan;
  plan.requests = 1;
  EXPECT_EQ(play(target_at(url, 2), plan).records.at(0).failure, Failure::refused);
}

TEST(HttpConnection, FlagsARequestThatTheTransportSentAgainByItself) {
  std::atomic<int> count{0};
  ScriptedServer server([&](auto, auto) {
    const bool second = ++count == 2;
    return ScriptedAnswer{second ? script({{Seconds(0), "", Then::reset}})
                                 : script({{Seconds(0), stream(2)}})};
  });
  LoadPlan plan;
  plan.requests = 2;
  const Played played = play(target_at(server.url(), 2), plan);
  EXPECT_EQ(server.requests(), 3);
  const RequestRecord& second = played.records.at(1);
  EXPECT_EQ(second.attempts, 2);
  EXPECT_EQ(second.anomalies, 0) << second.anomaly;
  EXPECT_EQ(played.records.at(0).attempts, 1);
}

TEST(HttpConnection, ReusesAConnectionAndSaysSo) {
  ScriptedServer server([](auto, auto) {
    return ScriptedAnswer{script({{Seconds(0), stream(2)}})};
  });
  LoadPlan plan;
  plan.requests = 3;
  const Played played = play(target_at(server.url(), 2), plan);
  EXPECT_FALSE(played.records.at(0).reused);
  EXPECT_TRUE(played.records.at(1).reused);
  EXPECT_TRUE(played.records.at(2).reused);
  EXPECT_EQ(played.records.at(2).connect, Seconds(0));
}

TEST(HttpConnection, SurvivesAConnectionClosedWhileIdle) {
  ScriptedServer server([](auto, auto) {
    return ScriptedAnswer{script({{Seconds(0), stream(2)}, {Seconds(0.01), "", Then::close}})};
  });
  LoadPlan plan;
  plan.rate_per_s = 10;
  plan.arrival = Arrival::constant;
  plan.requests = 3;
  const Played played = play(target_at(server.url(), 2), plan);
  for (const RequestRecord& record : played.records)
    EXPECT_EQ(record.failure, Failure::none) << record.error;
  EXPECT_EQ(server.requests(), 3);
}

// One request answered with status 401 and this body.
RequestRecord error_body(const std::string& body, const std::string& key) {
  JsonParser json;
  std::vector<std::int64_t> finished;
  LoadTarget target = target_at("", 2);
  target.endpoint.key = key;
  RequestRun run(target, json, finished, 0);
  run.begin({}, "", Seconds(0));
  run.on_head(Seconds(1),
              {.status = 401, .content_type = {}, .content_encoding = {}, .retry_after = {}});
  run.on_bytes(Seconds(2), body);
  run.on_end(Seconds(3), {.words = {}});
  return run.take();
}

TEST(HttpConnection, SendsTheKeyAndCutsItOutOfWhatIsKept) {
  std::string seen;
  ScriptedServer server([&](std::string_view head, auto) {
    seen = head;
    const std::string body = "no such key: sk-secret-123 (sk-secret-123)";
    return ScriptedAnswer{script({{Seconds(0), http_head("401 Unauthorized", "text/plain",
                                                         static_cast<std::int64_t>(body.size())) +
                                                   body}})};
  });
  LoadTarget target = target_at(server.url(), 2);
  target.endpoint.key = "sk-secret-123";
  LoadPlan plan;
  plan.requests = 1;
  const RequestRecord record = play(target, plan).records.at(0);
  EXPECT_NE(seen.find("Authorization: Bearer sk-secret-123"), std::string::npos);
  EXPECT_EQ(record.error, "HTTP 401: no such key: [key] ([key])");
}

TEST(HttpConnection, CutsOutAKeyThatTheLimitOfTheBodyCutsInTwo) {
  const std::string key = "sk-secret-123";
  for (std::size_t before = kKeptErrorBytes - 40; before <= kKeptErrorBytes; ++before) {
    // Keys in front, longer than their mark, draw the end of the body into what is kept.
    std::string body = key + key + key;
    body += std::string(before - body.size(), '.') + key;
    const RequestRecord record = error_body(body, key);
    ASSERT_EQ(record.error.find("sk-s"), std::string::npos) << before;
  }
}

TEST(ServerWords, HoldNothingThatATerminalObeys) {
  EXPECT_EQ(one_line("a\r\n\tb\x1b[2Jc\x7f\xc2\x9b"
                     "d"),
            "a b [2Jc d");
  EXPECT_EQ(one_line("\n\xff\xe6\xa8 \xe6\xa8\xa1\xe5\x9e\x8b\n"), "??? \xe6\xa8\xa1\xe5\x9e\x8b");
  EXPECT_EQ(one_line("ab\xe6\xa8\xa1", 4), "ab");
}

TEST(HttpConnection, AsksBelowThePathOfTheEndpoint) {
  std::string route;
  ScriptedServer server([&](std::string_view head, auto) {
    route = head.substr(0, head.find("\r\n"));
    return ScriptedAnswer{script({{Seconds(0), stream(2)}})};
  });
  LoadPlan plan;
  plan.requests = 1;
  // By name, which may have an address that nobody listens at.
  const std::string url = "http://localhost" + server.url().substr(server.url().rfind(':'));
  EXPECT_EQ(play(target_at(url + "/team/a", 2), plan).records.at(0).output_got, 2);
  EXPECT_EQ(route, "POST /team/a/v1/completions HTTP/1.1");
}

TEST(HttpConnection, GivesUpConnectingToAHostThatDoesNotAnswer) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  // Nobody accepts: once the queue is full, the kernel drops who else wants to connect.
  std::array<int, 4> queue{};
  for (int& waiting : queue) {
    waiting = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    connect(waiting, reinterpret_cast<sockaddr*>(&address), size);
  }
  LoadTarget target = target_at("http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)), 2);
  target.endpoint.connect_timeout = Seconds(0.3);
  LoadPlan plan;
  plan.requests = 1;
  plan.request_timeout = Seconds(5);
  const RequestRecord record = play(target, plan).records.at(0);
  EXPECT_EQ(record.failure, Failure::timeout) << record.error;
  EXPECT_TRUE(record.error.starts_with("no connection")) << record.error;
  EXPECT_LT(record.end, Seconds(4));
  for (const int waiting : queue) close(waiting);
  close(listener);
}

TEST(HttpConnection, SaysThatAHostHasNoAddress) {
  LoadPlan plan;
  plan.requests = 1;
  const RequestRecord record =
      play(target_at("http://no-such-host.invalid:1", 2), plan).records.at(0);
  EXPECT_EQ(record.failure, Failure::refused);
  EXPECT_TRUE(record.error.starts_with("no-such-host.invalid: ")) << record.error;
}

TEST(HttpConnection, OpensMoreStreamsThanAShellAllowsFiles) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 64;
  setrlimit(RLIMIT_NOFILE, &few);
  ScriptedServer server([](auto, auto) {
    return ScriptedAnswer{script({{Seconds(0.2), stream(2)}})};
  });
  LoadPlan plan;
  plan.concurrency = plan.requests = 100;
  const Played played = play(target_at(server.url(), 2), plan);
  for (const RequestRecord& record : played.records) {
    EXPECT_EQ(record.failure, Failure::none) << record.error;
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace bench
