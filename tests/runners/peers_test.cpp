#include "runners/http/peers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runners/http/request_metrics.h"
#include "worked_stream.h"

namespace bench {
namespace {

constexpr double kRounding = 0.05;  // ms: the table gives one decimal

double ms(const std::optional<double>& seconds) { return seconds.value_or(-1e-3) * 1e3; }

std::vector<double> in_ms(std::vector<double> seconds) {
  for (double& s : seconds) s = std::round(s * 1e6) / 1e3;
  return seconds;
}

PeerRequest as(const std::string& name) {
  return find_peer(name)->request(read_stream("vllm-chat", worked_stream()));
}

using Milliseconds = std::vector<double>;

TEST(Peers, TheWorkedStreamHasTheTruthUnderOurDefinition) {
  const RequestRecord record = read_stream("vllm-chat", worked_stream());
  EXPECT_EQ(record.failure, Failure::none);
  EXPECT_EQ(record.output_got, 8);
  EXPECT_EQ(record.output_source, CountSource::usage);
  EXPECT_NEAR(ttft(record)->count(), 0.200, 1e-9);
  EXPECT_NEAR(tpot(record)->count(), 0.090 / 7, 1e-9);
  EXPECT_NEAR(1 / tpot(record)->count(), 77.8, kRounding);
  EXPECT_NEAR(e2e(record)->count(), 0.290, 1e-9);
}

TEST(Peers, VllmStartsOnTheRoleChunk) {
  const PeerRequest r = as("vllm");
  EXPECT_NEAR(ms(r.ttft_s), 50, kRounding);
  EXPECT_NEAR(ms(r.tpot_s), 34.4, kRounding);
  EXPECT_NEAR(ms(r.itl_mean_s), 48.2, kRounding);
  EXPECT_EQ(in_ms(r.itl_s), (Milliseconds{150, 30, 30, 30, 1}));
}

TEST(Peers, InferencexEndsOnTheUsageChunk) {
  const PeerRequest r = as("inferencex");
  EXPECT_NEAR(ms(r.ttft_s), 50, kRounding);
  EXPECT_NEAR(ms(r.tpot_s), 34.6, kRounding);
  EXPECT_NEAR(ms(r.itl_mean_s), 48.2, kRounding);
}

TEST(Peers, SglangEndsOnTheLastLine) {
  EXPECT_NEAR(ms(as("sglang").ttft_s), 200, kRounding);
  EXPECT_NEAR(ms(as("sglang").tpot_s), 18.6, kRounding);
  EXPECT_EQ(in_ms(as("sglang").itl_s), (Milliseconds{30, 30, 30}));
  EXPECT_NEAR(ms(as("sglang-native").tpot_s), 18.6, kRounding);
  EXPECT_NEAR(ms(as("sglang-native").itl_mean_s), 12.86, kRounding);
  EXPECT_EQ(in_ms(as("sglang-native").itl_s), (Milliseconds{10, 10, 10, 10, 10, 10, 30}));
}

TEST(Peers, GuidellmHasTtftInsideItsTpot) {
  EXPECT_NEAR(ms(as("guidellm").ttft_s), 200, kRounding);
  EXPECT_NEAR(ms(as("guidellm").tpot_s), 36.25, kRounding);
  EXPECT_NEAR(ms(as("guidellm").itl_mean_s), 12.86, kRounding);
}

TEST(Peers, AiperfAndGenaiPerfKeepOneMeanARequest) {
  EXPECT_NEAR(ms(as("aiperf").tpot_s), 12.86, kRounding);
  EXPECT_NEAR(ms(as("aiperf").itl_mean_s), 12.86, kRounding);
  EXPECT_NEAR(ms(as("genai-perf").itl_mean_s), 12.86, kRounding);
  EXPECT_EQ(in_ms(as("genai-perf").itl_s), (Milliseconds{10, 10, 30}));
}

TEST(Peers, InferencePerfHasAMedianOfZero) {
  const PeerRequest r = as("inference-perf");
  EXPECT_NEAR(ms(r.tpot_s), 12.86, kRounding);
  EXPECT_NEAR(ms(r.itl_mean_s), 12.86, kRounding);
  EXPECT_EQ(in_ms(r.itl_s), (Milliseconds{30, 0, 0, 30, 0, 0, 30}));
}

TEST(Peers, LlmperfDividesByChunksAndHfEndsWithDone) {
  EXPECT_FALSE(as("llmperf").tpot_s.has_value());
  EXPECT_NEAR(ms(as("llmperf").itl_mean_s), 48.3, kRounding);
  EXPECT_NEAR(ms(as("hf").itl_mean_s), 12.86, kRounding);
  EXPECT_NEAR(as("hf").e2e_s * 1e3, 330, kRounding);
}

TEST(Peers, SummariseTheMeasuredRequestsThatSucceeded) {
  std::vector<RequestRecord> records(3, read_stream("vllm-chat", worked_stream()));
  records[1].failure = Failure::stalled;
  records[2].phase = Phase::warm_up;
  const PeerSummary summary = as_peer(*find_peer("aiperf"), records);
  EXPECT_EQ(summary.requests, 1);
  EXPECT_NEAR(ms(summary.tpot_s), 12.86, kRounding);
  EXPECT_NEAR(summary.output_tokens_per_s.value_or(0), 8 / 0.290, 1e-6);
}

TEST(Peers, HaveNoFiguresForAStreamWithoutTokens) {
  for (const Peer& peer : peers()) {
    EXPECT_EQ(as_peer(peer, std::vector<RequestRecord>(1)).requests, 0) << peer.name;
  }
}

}  // namespace
}  // namespace bench
