#include <gtest/gtest.h>

#include "harness/error.h"
#include "live_case.h"
#include "runners/http/record_codec.h"
#include "runners/http/request_metrics.h"
#include "runners/runner.h"

namespace bench {
namespace {

// A small vLLM: it answers on the routes by which it is recognised, counts what it generates, and
// streams as many tokens as are asked, of the prompt it was sent.
class FakeVllm {
 public:
  std::int64_t cached = 0;
  std::int64_t prompt_error = 0;  // of its count of the prompt
  double counter_error = 1;       // of its token counter
  std::int64_t fail_every = 0;
  bool counters = true;
  bool holds_back = false;  // the text of few tokens, as if it were no UTF-8
  bool counts_held = true;  // in the usage of such an answer

  FakeVllm()
      : server_([this](auto head, auto text) { return ScriptedAnswer{answer(head, text)}; }) {}
  [[nodiscard]] std::string url() const { return server_.url(); }

 private:
  std::shared_ptr<const Script> answer(std::string_view head, std::string_view text) {
    const std::string_view route = head.substr(0, head.find(" HTTP/"));
    if (route == "GET /v1/models") {
      return answer_of(R"({"data":[{"id":"glm-5","owned_by":"vllm"}]})");
    }
    if (route == "GET /version") return answer_of(R"({"version":"0.11.0"})");
    if (route == "GET /metrics" && counters) {
      const auto counted =
          static_cast<std::int64_t>(static_cast<double>(generated_) * counter_error);
      return answer_of("vllm:generation_tokens_total{} " + std::to_string(counted) +
                       "\nvllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"30972\"} 1\n");
    }
    if (route == "POST /reset_prefix_cache") return answer_of("", "200 OK");
    if (route != "POST /v1/completions") return answer_of("", "404 Not Found");
    return generate(text);
  }

  std::shared_ptr<const Script> generate(std::string_view text) {
    const JsonValue request = json_.parse(text);
    if (fail_every > 0 && ++requests_ % fail_every == 0) return answer_of("oops", "500 Oops");
    const std::int64_t tokens = request["max_tokens"].count().value_or(0);
    const auto prompt = static_cast<std::int64_t>(request["prompt"].size()) + prompt_error;
    generated_ += tokens;
    Steps steps = {{Seconds(0), http_head("200 OK", "text/event-stream")}};
    if (holds_back && tokens <= 2) {
      const std::string end = R"(data: {"choices":[{"text":"","finish_reason":"length"}]})";
      const std::string usage =
          R"(data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":2}})";
      steps.push_back({Seconds(0), http_chunk(end + "\n\n" + (counts_held ? usage + "\n\n" : "") +
                                              "data: [DONE]\n\n") +
                                       http_chunk("")});
      return script(steps);
    }
    for (std::int64_t i = 1; i <= tokens; ++i) {
      const std::string event =
          R"(data: {"choices":[{"text":"w","finish_reason":)" +
          std::string(i == tokens ? R"("length")" : "null") + R"(}],"usage":{"prompt_tokens":)" +
          std::to_string(prompt) + R"(,"prompt_tokens_details":{"cached_tokens":)" +
          std::to_string(cached) + R"(},"completion_tokens":)" + std::to_string(i) + "}}\n\n";
      steps.push_back({Seconds(0.002 * static_cast<double>(i)), http_chunk(event)});
    }
    steps.push_back({steps.back().at, http_chunk("data: [DONE]\n\n") + http_chunk("")});
    return script(steps);
  }

  JsonParser json_;
  std::int64_t generated_ = 0;
  std::int64_t requests_ = 0;
  ScriptedServer server_;
};

class Kept : public Sink {
 public:
  void begin(const Case& /*c*/) override {}
  void progress(const std::string& /*phase*/) override {}
  void requests(std::string records) override { kept += records; }
  void result(Measurement measurement) override {
    measurement.requests = std::move(kept) + measurement.requests;  // as the store does
    results.push_back(std::move(measurement));
  }
  std::string kept;
  std::vector<Measurement> results;
};

Measurement measure(const Case& c) {
  Kept kept;
  Workload workload;
  workload.name = "live";
  Alone alone;
  Registry<RunnerKind>::find("http")->make(alone)->measure(workload, {c}, 1, 7, kept);
  return kept.results.at(0);
}

TEST(HttpRunner, MeasuresAServerRightToTheToken) {
  FakeVllm server;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::ok) << m.reason;
  EXPECT_EQ(m.workload, "live");
  EXPECT_EQ(m.replicate, 1);
  EXPECT_EQ(m.samples_s.size(), 8u);
  EXPECT_GT(*m.metric("tpot_s"), 0);
  EXPECT_DOUBLE_EQ(*m.metric("tokens_per_s"), 1 / *m.metric("tpot_s"));
  EXPECT_EQ(m.metric("requests"), 8);
  EXPECT_EQ(m.metric("failed_requests"), 0);
  EXPECT_EQ(m.metric("output_tokens"), 160);
  EXPECT_EQ(m.metric("input_tokens"), 800);
  EXPECT_EQ(m.metric("reconciliation"), 1);
  EXPECT_EQ(m.metric("server_pool_tokens"), 495552);
  EXPECT_NE(m.reason.find("vllm 0.11.0 (GET /v1/models), dialect vllm, model 'glm-5'"),
            std::string::npos)
      << m.reason;
  for (const Metric& metric : m.metrics)
    EXPECT_NE(find_metric(metric.name), nullptr) << metric.name;
  const std::vector<RequestRecord> records = decode_records(m.requests);
  ASSERT_EQ(records.size(), 8u);
  EXPECT_EQ(records[0].prompt_got, 100);
}

TEST(HttpRunner, TakesTheServersCountOrItsLimitForProofThatItGenerates) {
  FakeVllm server;
  server.holds_back = true;
  for (const bool counts : {true, false}) {
    server.counts_held = counts;
    const Measurement m = measure(case_at(server.url()));
    EXPECT_EQ(m.status, Status::ok) << m.reason;
    EXPECT_EQ(m.metric("output_tokens"), 160);
  }
}

TEST(HttpRunner, CallsAColdCaseWithCacheHitsInvalid) {
  FakeVllm server;
  server.cached = 16;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::invalid);
  EXPECT_TRUE(
      m.reason.starts_with("8 of 8 requests of a cold case found tokens in the prefix cache"))
      << m.reason;
  Case warm = case_at(server.url());
  warm.parameters.cached_fraction = 0.5;
  EXPECT_EQ(measure(warm).status, Status::ok);
  EXPECT_EQ(measure(warm).metric("cached_share"), 0.16);
}

TEST(HttpRunner, CallsPromptsOfAnotherLengthInvalid) {
  FakeVllm server;
  server.prompt_error = 1;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::invalid);
  EXPECT_TRUE(m.reason.starts_with(
      "8 prompts were not as long as asked (100 tokens, the server counted 101)"))
      << m.reason;
}

TEST(HttpRunner, CallsATotalThatDoesNotReconcileInvalid) {
  FakeVllm server;
  server.counter_error = 1.05;
  EXPECT_EQ(measure(case_at(server.url())).status, Status::invalid);
  server.counters = false;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::ok);
  EXPECT_NE(m.reason.find("not reconciled"), std::string::npos);
}

// A server that counts whole answers alone, and writes two tokens a chunk; a word is two tokens.
class Uncounting {
 public:
  std::int64_t most_tokens = 1000;  // of an answer: its context ends
  std::int64_t over_every = 0;      // whole answer: two tokens more than were asked
  std::int64_t words = 0;           // of the last prompt

  Uncounting()
      : server_([this](auto head, auto text) { return ScriptedAnswer{answer(head, text)}; }) {}
  [[nodiscard]] std::string url() const { return server_.url(); }

 private:
  std::shared_ptr<const Script> answer(std::string_view head, std::string_view text) {
    if (head.starts_with("GET /v1/models ")) return answer_of(R"({"data":[{"id":"m"}]})");
    const JsonValue request = json_.parse(text);
    if (!request["prompt"].text()) return answer_of("text alone", "422 Unprocessable Content");
    words = 1 + std::ranges::count(*request["prompt"].text(), ' ');
    const std::int64_t asked = request["max_tokens"].count().value_or(0);
    std::int64_t tokens = std::min(asked, most_tokens);
    if (!request["stream"].is_true()) {
      if (over_every > 0 && asked > 1 && ++whole_ % over_every == 0) tokens += 2;
      return answer_of(R"({"choices":[{"text":"w","finish_reason":"length"}],"usage":)"
                       R"({"prompt_tokens":)" +
                       std::to_string(2 * words) + R"(,"completion_tokens":)" +
                       std::to_string(tokens) + "}}");
    }
    Steps steps = {{Seconds(0), http_head("200 OK", "text/event-stream")}};
    for (std::int64_t i = 2; i <= tokens; i += 2) {
      const std::string reason = i == tokens ? R"("length")" : "null";
      steps.push_back(
          {Seconds(0.002 * static_cast<double>(i)),
           http_chunk(R"(data: {"choices":[{"text":"ww","finish_reason":)" + reason + "}]}\n\n")});
    }
    steps.push_back({steps.back().at, http_chunk("data: [DONE]\n\n") + http_chunk("")});
    return script(steps);
  }

  JsonParser json_;
  std::int64_t whole_ = 0;
  ScriptedServer server_;
};

TEST(HttpRunner, CountsByTheFinishReasonWhereAWholeAnswerProvedIt) {
  Uncounting server;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::ok) << m.reason;
  EXPECT_EQ(server.words, 50);  // 100 tokens
  EXPECT_EQ(m.metric("output_tokens"), 160);
  EXPECT_TRUE(m.metric("tpot_s").has_value());
  EXPECT_FALSE(m.metric("itl_s").has_value());  // twenty tokens in ten chunks
  EXPECT_FALSE(m.metric("input_tokens").has_value());
  EXPECT_NE(m.reason.find("by the finish reason 'length'"), std::string::npos) << m.reason;
  const RequestRecord record = decode_records(m.requests).at(0);
  EXPECT_EQ(record.output_got, 20);
  EXPECT_EQ(record.output_source, CountSource::limit);
  EXPECT_NEAR(tpot(record)->count(),
              (record.events.at(9).time - record.events.at(0).time).count() / 19, 1e-12);
}

TEST(HttpRunner, HasNoRateWhereAFinishReasonProvesNothing) {
  Uncounting server;
  server.most_tokens = 10;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::ok) << m.reason;
  for (const char* name : {"tpot_s", "itl_s", "output_tokens", "output_tokens_per_s"}) {
    EXPECT_FALSE(m.metric(name).has_value()) << name;
  }
  EXPECT_NE(m.reason.find("no TPOT of 8 requests: the server gave no token count"),
            std::string::npos)
      << m.reason;
}

TEST(HttpRunner, TakesNoLimitForACountThatWholeAnswersGoPast) {
  Uncounting server;
  server.over_every = 3;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::ok) << m.reason;
  EXPECT_FALSE(m.metric("tpot_s").has_value());
  EXPECT_NE(m.reason.find("'length' is no count either: a whole answer of 20 tokens had 22"),
            std::string::npos)
      << m.reason;
}

TEST(HttpRunner, NeverDropsFailedRequests) {
  FakeVllm server;
  server.fail_every = 3;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::failed);
  EXPECT_EQ(*m.metric("failed_requests") + static_cast<double>(m.samples_s.size()), 8);
  EXPECT_NE(m.reason.find("http_status (HTTP 500: oops)"), std::string::npos) << m.reason;
}

TEST(HttpRunner, FlushesTheCacheWhenAskedAndSaysWhatCameOfIt) {
  FakeVllm server;
  Case c = case_at(server.url());
  c.parameters.flush_cache = FlushCache::before_pass;
  EXPECT_NE(measure(c).reason.find("cache flush: POST /reset_prefix_cache: HTTP 200"),
            std::string::npos);
}

TEST(HttpRunner, SaysThatTlsWasNotVerified) {
  FakeVllm server;
  Case c = case_at(server.url());
  EXPECT_EQ(measure(c).reason.find("TLS"), std::string::npos);
  c.parameters.tls = Tls::insecure;
  EXPECT_TRUE(measure(c).reason.ends_with("; TLS was not verified"));
}

TEST(HttpRunner, SaysThatNothingAnswers) {
  std::string url;
  { url = FakeVllm().url(); }
  try {
    measure(case_at(url));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(url), std::string::npos) << error.what();
  }
}

TEST(HttpRunner, NamesTheDialectsWhenAskedForOneThatThereIsNot) {
  FakeVllm server;
  Case c = case_at(server.url());
  c.parameters.engine = "vlm";
  try {
    measure(c);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no dialect 'vlm' (there are: auto, "),
              std::string::npos);
    EXPECT_EQ(error.exit(), Exit::usage);
  }
}

}  // namespace
}  // namespace bench
