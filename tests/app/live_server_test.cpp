// A run over a live server, killed while requests are in flight: what had ended is kept.
#include <gtest/gtest.h>

#include <atomic>

#include "runners/http/scripted_server.h"
#include "tests/app/bench_program.h"

namespace bench {
namespace {

std::shared_ptr<const Script> json(const std::string& text) {
  Script script;
  script.steps.push_back(
      {Seconds(0),
       http_head("200 OK", "application/json", static_cast<std::int64_t>(text.size())) + text,
       {}});
  return std::make_shared<const Script>(std::move(script));
}

// A vLLM that answers `quick` requests at once and keeps all others waiting.
class StuckServer {
 public:
  explicit StuckServer(std::int64_t quick)
      : quick_(quick), server_([this](auto head, auto) { return ScriptedAnswer{answer(head)}; }) {}
  [[nodiscard]] std::string url() const { return server_.url(); }
  void go_on() { quick_ = 1 << 20; }

 private:
  std::shared_ptr<const Script> answer(std::string_view head) {
    if (head.starts_with("GET /v1/models ")) {
      return json(R"({"data":[{"id":"glm-5","owned_by":"vllm"}]})");
    }
    if (!head.starts_with("POST /v1/completions ")) return json("{}");
    const bool stuck = asked_++ >= quick_;
    return std::make_shared<const Script>(
        paced_stream(Seconds(stuck ? 1000 : 0.001), Seconds(0.001), 4));
  }

  std::atomic<std::int64_t> quick_;
  std::int64_t asked_ = 0;
  ScriptedServer server_;
};

constexpr const char* kLive = R"(
name: live
workloads:
  users:
    runner: http
    endpoint: ${BENCH_ENDPOINT}
    context: 8
    output_tokens: 4
    concurrency: 2
    requests: 40
    duration_s: 0
    warm_up_s: 0
)";

TEST(LiveServer, AKillLosesOnlyTheRequestsInFlight) {
  StuckServer server(1 + 20);  // the first is the runner's own trial
  BenchProgram bench;
  bench.write("live.yaml", kLive);
  const std::string to_server = "export BENCH_ENDPOINT=" + server.url() + "; ";
  // Another process sees what has ended while the run goes on; then it is killed.
  const Outcome killed = bench.shell(to_server + R"(
      $BENCH run live.yaml & run=$!
      for try in $(seq 300); do
        $BENCH show latest 2>/dev/null | grep -q '20 requests of it' && break; sleep 0.1
      done; kill -9 $run; wait $run)");
  const Outcome shown = bench.run("show latest");
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_NE(shown.out.find("was cut off; 20 requests of it are kept"), std::string::npos)
      << shown.out << killed.err;
  const Outcome as_ours = bench.run("show latest --as bench");
  EXPECT_NE(as_ours.out.find("cut off after 20 requests: TTFT "), std::string::npos)
      << as_ours.out << as_ours.err;

  server.go_on();
  const Outcome resumed = bench.shell(to_server + "$BENCH run live.yaml --resume");
  EXPECT_EQ(resumed.exit, 0) << resumed.err << resumed.out;
  const Outcome whole = bench.run("show latest");
  EXPECT_EQ(whole.out.find("cut off"), std::string::npos) << whole.out;
  EXPECT_NE(bench.run("show latest --as vllm").out.find("TTFT"), std::string::npos);
}

}  // namespace
}  // namespace bench
