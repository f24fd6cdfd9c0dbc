#include <gtest/gtest.h>

#include "played_load.h"
#include "runners/http/http_fetch.h"
#include "runners/http/request_metrics.h"
#include "runners/process.h"

namespace bench {
namespace {

// A scripted server behind TLS that nobody has signed.
class TlsServer {
 public:
  explicit TlsServer(const std::string& handshake_s = "0")
      : server_([](auto, auto) {
          return ScriptedAnswer{script({{Seconds(0), stream(2)}})};
        }),
        proxy_({"/usr/bin/env", "python3", BENCH_TLS_PROXY,
                server_.url().substr(server_.url().rfind(':') + 1), handshake_s},
               "") {
    if (proxy_.read_line(port_, Seconds(60)) != Process::Read::line) port_.clear();
  }
  // False: no python3 or no openssl here.
  [[nodiscard]] bool works() const { return !port_.empty(); }
  [[nodiscard]] LoadTarget target(bool verify) const {
    LoadTarget target = target_at("https://127.0.0.1:" + port_, 2);
    target.endpoint.verify_tls = verify;
    return target;
  }
  [[nodiscard]] std::int64_t requests() const { return server_.requests(); }

 private:
  ScriptedServer server_;
  Process proxy_;
  std::string port_;
};

RequestRecord ask(const LoadTarget& target) {
  LoadPlan plan;
  plan.requests = 1;
  return play(target, plan).records.at(0);
}

TEST(Tls, SendsNothingToACertificateThatNobodySigned) {
  const TlsServer server;
  if (!server.works()) GTEST_SKIP() << "needs python3 and openssl";
  LoadTarget target = server.target(true);
  target.endpoint.key = "sk-secret-123";
  const RequestRecord record = ask(target);
  EXPECT_EQ(record.failure, Failure::refused) << record.error;
  EXPECT_NE(record.error.find("certificate"), std::string::npos) << record.error;
  EXPECT_NE(HttpFetch(target.endpoint).get("/metrics", Seconds(5)).words, "");
  EXPECT_EQ(server.requests(), 0);
}

TEST(Tls, SpeaksToItWhenToldNotToVerify) {
  const TlsServer server;
  if (!server.works()) GTEST_SKIP() << "needs python3 and openssl";
  const RequestRecord record = ask(server.target(false));
  EXPECT_EQ(record.failure, Failure::none) << record.error;
  EXPECT_EQ(record.output_got, 2);
  EXPECT_GT(record.tls, Seconds(0));
}

TEST(Tls, KeepsASlowHandshakeOutOfTheTimeToTheFirstToken) {
  const TlsServer server("0.5");
  if (!server.works()) GTEST_SKIP() << "needs python3 and openssl";
  const RequestRecord record = ask(server.target(false));
  EXPECT_EQ(record.failure, Failure::none) << record.error;
  EXPECT_GE(record.tls, Seconds(0.49));
  EXPECT_GE(record.sent - record.due, Seconds(0.49));
  EXPECT_NEAR((*ttft(record) - (record.events.front().time - record.sent)).count(), 0, 1e-9);
}

TEST(Tls, GivesUpOnAHandshakeThatNeverEnds) {
  const TlsServer server("100");
  if (!server.works()) GTEST_SKIP() << "needs python3 and openssl";
  LoadTarget target = server.target(false);
  target.endpoint.connect_timeout = Seconds(0.3);
  const RequestRecord record = ask(target);
  EXPECT_EQ(record.failure, Failure::timeout) << record.error;
  EXPECT_LT(record.end, Seconds(50));
}

}  // namespace
}  // namespace bench
