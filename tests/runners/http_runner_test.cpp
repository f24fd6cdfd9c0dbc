#include <gtest/gtest.h>

#include "harness/error.h"
#include "played_load.h"
#include "results/fitness.h"
#include "runners/http/live_server.h"
#include "runners/http/record_codec.h"
#include "runners/http/request_metrics.h"
#include "runners/runner.h"

namespace bench {
namespace {

std::shared_ptr<const Script> answer_of(std::string_view text, std::string_view status = "200 OK") {
  return script(
      {{Seconds(0), http_head(status, "application/json", static_cast<std::int64_t>(text.size())) +
                        std::string(text)}});
}

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
      steps.push_back({Seconds(0), http_chunk(R"(data: {"choices":[{"text":"","finish_reason":)"
                                              R"("length"}]})"
                                              "\n\n"
                                              R"(data: {"choices":[],"usage":{"prompt_tokens":8,)"
                                              R"("completion_tokens":2}})"
                                              "\n\ndata: [DONE]\n\n") +
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

Case case_at(const std::string& url) {
  Case c{.runner = "http", .variant = "before", .parameters = {}};
  c.parameters.endpoint = url;
  c.parameters.context = 100;
  c.parameters.output_tokens = 20;
  c.parameters.concurrency = 2;
  c.parameters.requests = 8;
  c.parameters.duration_s = 0;
  c.parameters.warm_up_s = 0;
  return c;
}

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

TEST(HttpRunner, TakesTheServersCountForProofThatItGenerates) {
  FakeVllm server;
  server.holds_back = true;
  const Measurement m = measure(case_at(server.url()));
  EXPECT_EQ(m.status, Status::ok) << m.reason;
  EXPECT_EQ(m.metric("output_tokens"), 160);
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
    const std::int64_t tokens = std::min(asked, most_tokens);
    if (!request["stream"].is_true()) {
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

// What an SGLang server says of itself.
std::vector<Fact> facts_of(const std::string& server_info, std::int64_t* connections = nullptr) {
  ScriptedServer server([&](std::string_view head, auto) {
    return ScriptedAnswer{head.starts_with("GET /server_info") ? answer_of(server_info)
                                                               : answer_of("", "404 Not Found")};
  });
  const Case c = case_at(server.url());
  Alone alone;
  std::vector<Fact> facts =
      Registry<RunnerKind>::find("http")->make(alone)->environment({{c, c}, {c}});
  server.stop();
  if (connections != nullptr) *connections = server.connections();
  return facts;
}

TEST(HttpRunner, TellsTheServersArgumentsOverOneConnectionAndNothingSecretOrFleeting) {
  std::int64_t connections = 0;
  const std::vector<Fact> facts = facts_of(
      R"({"version":"0.5","max_total_num_tokens":495552,"tp_size":8,"api_key":"sk-1","port":30000,)"
      R"("nccl_port":null,"random_seed":77,"internal_states":[{"last_gen_throughput":9.5}],)"
      R"("admin_api_key":"sk-2","quantization":null,"lora":{"rank":16,"paths":["a","b"]}})",
      &connections);
  std::string told;
  for (const Fact& fact : facts) {
    told += fact.name + "=" + fact.value + "(" + std::string(to_string(fact.role)) + ") ";
  }
  EXPECT_EQ(told,
            "server=sglang(machine) server.version=0.5(software) "
            "server.lora.paths=[\"a\",\"b\"](machine) server.lora.rank=16(machine) "
            "server.tp_size=8(machine) ");
  EXPECT_EQ(connections, 1);
}

TEST(HttpRunner, RunsOfServersWithOtherArgumentsAreNotCompared) {
  const auto with = [](const std::string& backend) {
    return facts_of(R"({"max_total_num_tokens":1,"attention_backend":")" + backend + "\"}");
  };
  EXPECT_EQ(unfit(differences(with("triton"), with("flashinfer"))),
            "the machines differ: server.attention_backend (triton, now flashinfer)");
  EXPECT_EQ(unfit(differences(with("triton"), with("triton"))), "");
}

TEST(HttpRunner, KnowsNothingOfAServerThatIsNotUpYet) {
  Alone alone;
  EXPECT_TRUE(Registry<RunnerKind>::find("http")
                  ->make(alone)
                  ->environment({{case_at("http://127.0.0.1:1")}})
                  .empty());
}

TEST(HttpRunner, SaysBeforeTheRunWhatIsWrongWithAnEndpoint) {
  const auto wrong = [](const std::string& url) {
    Case c = case_at(url);
    Alone alone;
    return Registry<RunnerKind>::find("http")->make(alone)->estimate({c}).cases.at(0).unsupported;
  };
  EXPECT_EQ(wrong("http://127.0.0.1:1/v1/"), "");
  EXPECT_NE(wrong("").find("give the URL"), std::string::npos);
  EXPECT_NE(wrong("127.0.0.1:30000").find("begins with http://"), std::string::npos);
  EXPECT_NE(wrong("http://me:secret@host").find("password"), std::string::npos);
  EXPECT_EQ(wrong("http://me:secret@host").find("secret"), std::string::npos);
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

// What is said of a server that answers everything like this.
std::string not_recognised(std::string_view status, const std::string& body,
                           const std::string& key = {}) {
  ScriptedServer server([&](auto, auto) { return ScriptedAnswer{answer_of(body, status)}; });
  HttpFetch fetch({.url = server.url(), .key = key});
  try {
    recognise_server(fetch, "auto", "");
    return "recognised";
  } catch (const Error& error) {
    const std::string words = error.what();
    return words.substr(std::min(words.find("there: "), words.size() - 7) + 7);
  }
}

TEST(HttpRunner, SaysWhatAServerAnsweredThatItDoesNotRecognise) {
  const std::string routes =
      "/api/version, /get_server_info, /health, /info, /props, /server_info, /v1/models: ";
  EXPECT_EQ(not_recognised("401 Unauthorized", "{\"error\":\n\"who?\"}"),
            "it wants a key (BENCH_API_KEY, api_key_env or api_key_file); " + routes +
                "HTTP 401 {\"error\": \"who?\"}");
  EXPECT_EQ(not_recognised("403 Forbidden", "not sk-secret-1", "sk-secret-1"),
            "it refuses the key; " + routes + "HTTP 403 not [key]");
  EXPECT_EQ(not_recognised("301 Moved", ""),
            "redirects are not followed, so give the URL behind them; " + routes + "HTTP 301");
  EXPECT_EQ(not_recognised("503 Busy", "x"), "it may still be loading; " + routes + "HTTP 503 x");
  EXPECT_EQ(not_recognised("200 OK", "<html>"),
            "`engine` may name the dialect it speaks; " + routes + "HTTP 200 <html>");
}

TEST(HttpRunner, RefusesBadKeysBeforeAnythingRuns) {
  FakeVllm server;
  Case c = case_at(server.url());
  c.parameters.api_key_env = "BENCH_TEST_NO_SUCH_KEY";
  Alone alone;
  try {
    Registry<RunnerKind>::find("http")->make(alone)->environment({{c}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    EXPECT_STREQ(error.what(), "api_key_env: the environment has no BENCH_TEST_NO_SUCH_KEY");
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
