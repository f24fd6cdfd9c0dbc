#include <gtest/gtest.h>

#include "harness/error.h"
#include "live_case.h"
#include "results/fitness.h"
#include "runners/http/live_server.h"

namespace bench {
namespace {

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

TEST(LiveServer, TellsTheServersArgumentsOverOneConnectionAndNothingSecretOrFleeting) {
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

TEST(LiveServer, RunsOfServersWithOtherArgumentsAreNotCompared) {
  const auto with = [](const std::string& backend) {
    return facts_of(R"({"max_total_num_tokens":1,"attention_backend":")" + backend + "\"}");
  };
  EXPECT_EQ(unfit(differences(with("triton"), with("flashinfer"))),
            "the machines differ: server.attention_backend (triton, now flashinfer)");
  EXPECT_EQ(unfit(differences(with("triton"), with("triton"))), "");
}

TEST(LiveServer, KnowsNothingOfAServerThatIsNotUpYet) {
  Alone alone;
  EXPECT_TRUE(Registry<RunnerKind>::find("http")
                  ->make(alone)
                  ->environment({{case_at("http://127.0.0.1:1")}})
                  .empty());
}

TEST(LiveServer, SaysBeforeTheRunWhatIsWrongWithAnEndpoint) {
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

TEST(LiveServer, SaysWhatAServerAnsweredThatItDoesNotRecognise) {
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

TEST(LiveServer, RefusesBadKeysBeforeAnythingRuns) {
  Case c = case_at("http://127.0.0.1:1");
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

}  // namespace
}  // namespace bench
