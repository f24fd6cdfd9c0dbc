#include <gtest/gtest.h>

#include "runners/http/engine.h"
#include "worked_stream.h"

namespace bench {
namespace {

const std::vector<std::int32_t> kIds = {101, 2500, 9999};

std::string body(const std::string& dialect, const std::string& salt = "s1") {
  const Dialect& d = *Registry<Dialect>::find(dialect);
  Ask ask{.model = "glm-5", .ids = {}, .text = {}, .output_tokens = 16, .salt = salt};
  if (d.prompt == PromptForm::ids) {
    ask.ids = kIds;
  } else {
    ask.text = "one \"two\"";
  }
  return d.write(ask);
}

TEST(Dialects, WriteTheRequestOfEachEngine) {
  EXPECT_EQ(
      body("vllm"),
      R"({"model":"glm-5","prompt":[101,2500,9999],"max_tokens":16,"temperature":0,)"
      R"("stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},)"
      R"("ignore_eos":true,"min_tokens":16,"return_token_ids":true,"cache_salt":"s1"})");
  EXPECT_EQ(
      body("openai-chat"),
      R"({"model":"glm-5","messages":[{"role":"user","content":"one \"two\""}],)"
      R"("max_tokens":16,"temperature":0,"stream":true,"stream_options":{"include_usage":true}})");
  EXPECT_EQ(
      body("sglang"),
      R"({"input_ids":[101,2500,9999],"sampling_params":{"max_new_tokens":16,)"
      R"("min_new_tokens":16,"ignore_eos":true,"temperature":0},"stream":true,"extra_key":"s1"})");
  EXPECT_EQ(
      body("llama.cpp"),
      R"({"prompt":[101,2500,9999],"n_predict":16,"stream":true,"temperature":0,)"
      R"("ignore_eos":true,"cache_prompt":false,"return_tokens":true,"timings_per_token":true})");
  EXPECT_EQ(body("tgi"),
            R"({"inputs":"one \"two\"","parameters":{"max_new_tokens":16,"do_sample":false,)"
            R"("details":true,"decoder_input_details":false}})");
  EXPECT_EQ(body("ollama"), R"({"model":"glm-5","prompt":"one \"two\"","raw":true,"stream":true,)"
                            R"("options":{"num_predict":16,"temperature":0}})");
  EXPECT_EQ(body("dynamo-chat"),
            R"({"model":"glm-5","messages":[{"role":"user","content":""}],"max_tokens":16,)"
            R"("temperature":0,"stream":true,"stream_options":{"include_usage":true,)"
            R"("continuous_usage_stats":true},"ignore_eos":true,"min_tokens":16,)"
            R"("nvext":{"token_data":[101,2500,9999],"cache_salt":"s1"}})");
}

TEST(Dialects, AskForAWholeAnswerWhereTheyCan) {
  const Ask ask{
      .model = "m", .ids = {}, .text = "a", .output_tokens = 4, .streamed = false, .salt = {}};
  EXPECT_EQ(Registry<Dialect>::find("openai-text")->write(ask),
            R"({"model":"m","prompt":"a","max_tokens":4,"temperature":0,"stream":false})");
  JsonParser json;
  Message message;
  Registry<Dialect>::find("openai-chat")
      ->read(json.parse(R"({"choices":[{"message":{"content":"x"},"finish_reason":"length"}],)"
                        R"("usage":{"prompt_tokens":9,"completion_tokens":4}})"),
             message);
  EXPECT_EQ(message.output_tokens, 4);
  EXPECT_EQ(message.prompt_tokens, 9);
  EXPECT_EQ(message.finish_reason, kLimitReason);
}

TEST(Dialects, SendTensorRtLlmNoFieldThatItRefuses) {
  const std::string request = body("tensorrt-llm");
  for (const char* refused :
       {"cache_salt", "return_token_ids", "timings_per_token", "cache_prompt", "nvext"}) {
    EXPECT_EQ(request.find(refused), std::string::npos) << refused;
  }
}

TEST(Dialects, SpeakOfNoSaltWhereCachesAreAllowed) {
  EXPECT_EQ(body("vllm", "").find("cache_salt"), std::string::npos);
  EXPECT_EQ(body("sglang", "").find("extra_key"), std::string::npos);
  EXPECT_NE(body("llama.cpp", "").find("\"cache_prompt\":true"), std::string::npos);
}

TEST(Dialects, TakeAnyModelName) {
  JsonParser json;
  for (const char* name : {"glm-5", "qwen3:4b", "a/b c", "\xE6\xA8\xA1\xE5\x9E\x8B", ""}) {
    const std::string request = Registry<Dialect>::find("openai")->write(
        {.model = name, .ids = kIds, .text = {}, .salt = {}});
    EXPECT_EQ(json.parse(request)["model"].text(), name);
  }
}

TEST(Dialects, LlamaCppGoesByTheServersCountAndNotByTheTokensOfItsChunks) {
  // As seen with random weights: text is held back until it is valid UTF-8, and the ids held back
  // with it are in no chunk.
  const RequestRecord record = read_stream(
      "llama.cpp",
      {{1, "data: {\"content\":\"a\",\"tokens\":[5],\"stop\":false,\"tokens_predicted\":1}\n\n"},
       {2, "data: {\"content\":\"b\",\"tokens\":[6],\"stop\":false,\"tokens_predicted\":4}\n\n"},
       {3,
        "data: {\"content\":\"\",\"tokens\":[],\"stop\":true,\"stop_type\":\"limit\","
        "\"tokens_predicted\":6,\"tokens_evaluated\":9,\"timings\":{\"cache_n\":0,"
        "\"predicted_n\":6,\"predicted_ms\":2000}}\n\n"}},
      6);
  EXPECT_EQ(record.failure, Failure::none);
  EXPECT_EQ(record.output_got, 6);
  EXPECT_EQ(record.prompt_got, 9);
  EXPECT_EQ(record.cached, 0);
  EXPECT_EQ(record.finish_reason, "limit");
  EXPECT_EQ(record.events[1].tokens, 3);
  EXPECT_EQ(record.events[2].tokens, 2);
  EXPECT_EQ(record.server_decode, Seconds(2));
  EXPECT_EQ(record.server_decode_tokens, 5);
}

TEST(Dialects, PrefillProgressIsNoToken) {
  const RequestRecord record = read_stream(
      "llama.cpp", {{1,
                     "data: {\"content\":\"\",\"tokens\":[],\"stop\":false,\"tokens_predicted\":1,"
                     "\"prompt_progress\":{\"total\":9}}\n\n"}});
  EXPECT_EQ(record.failure, Failure::empty);
}

TEST(Dialects, TgiHasOneEventATokenAndNoEndMark) {
  const RequestRecord record = read_stream(
      "tgi",
      {{1, "data:{\"index\":1,\"token\":{\"id\":5,\"text\":\"a\"},\"details\":null}\n\n"},
       {2,
        "data:{\"index\":2,\"token\":{\"id\":6,\"text\":\"b\"},\"generated_text\":\"ab\","
        "\"details\":{\"finish_reason\":\"length\",\"generated_tokens\":2,\"input_length\":7}}"
        "\n\n"}},
      2);
  EXPECT_EQ(record.failure, Failure::none);
  EXPECT_EQ(record.anomalies, 0);
  EXPECT_EQ(record.output_got, 2);
  EXPECT_EQ(record.prompt_got, 7);
}

TEST(Dialects, OllamaIsReadByLinesCutAnywhere) {
  const std::string all =
      "{\"response\":\"a\",\"done\":false}\n{\"response\":\"b\",\"done\":false}\n"
      "{\"response\":\"\",\"done\":true,\"done_reason\":\"length\",\"eval_count\":2,"
      "\"prompt_eval_count\":5,\"eval_duration\":20000000}";
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    const RequestRecord record =
        read_stream("ollama", {{1, all.substr(0, cut)}, {2, all.substr(cut)}}, 2);
    ASSERT_EQ(record.failure, Failure::none) << "cut at " << cut << ": " << record.error;
    ASSERT_EQ(record.output_got, 2);
    ASSERT_EQ(record.prompt_got, 5);
    ASSERT_EQ(record.server_decode, Seconds(0.02));
  }
}

TEST(Dialects, VllmTokenIdsCountWhereUsageIsNotContinuous) {
  const RequestRecord record = read_stream(
      "vllm",
      {{1, "data: {\"choices\":[{\"text\":\"ab\",\"token_ids\":[1,2,3]}]}\n\n"},
       {2,
        "data: {\"choices\":[{\"text\":\"c\",\"token_ids\":[4],\"finish_reason\":\"length\"}]}\n\n"
        "data: [DONE]\n\n"}});
  EXPECT_EQ(record.output_got, 4);
  EXPECT_EQ(record.output_source, CountSource::ids);
  EXPECT_EQ(record.events[0].tokens, 3);
}

TEST(Dialects, EachBelongsToAnEngineAndEachEngineListsItsOwn) {
  for (const Dialect& dialect : Registry<Dialect>::all()) {
    ASSERT_NE(Registry<Engine>::find(dialect.engine), nullptr) << dialect.name;
  }
  for (const Engine& engine : Registry<Engine>::all()) {
    for (const std::string& name : engine.dialects) {
      ASSERT_NE(Registry<Dialect>::find(name), nullptr) << engine.name << " lists " << name;
    }
  }
}

// What each engine answers where it is asked: none may be taken for another.
TEST(Dialects, RecogniseTheirEngineAndNoOther) {
  const std::vector<std::pair<std::string, std::string>> answers = {
      {"vllm", R"({"object":"list","data":[{"id":"m","owned_by":"vllm","max_model_len":4096}]})"},
      {"tensorrt-llm", R"({"object":"list","data":[{"id":"m","owned_by":"tensorrt_llm"}]})"},
      {"openai", R"({"object":"list","data":[{"id":"m","owned_by":"me"}]})"},
      {"sglang", R"({"version":"0.5","max_total_num_tokens":495552,"tp_size":8})"},
      {"llama.cpp",
       R"({"total_slots":4,"default_generation_settings":{"n_ctx":2048},"build_info":"b1"})"},
      {"tgi", R"({"model_id":"m","max_total_tokens":2048,"version":"3.0"})"},
      {"ollama", R"({"version":"0.9"})"},
      {"dynamo", R"({"status":"healthy","endpoints":[],"instances":[]})"}};
  JsonParser json;
  for (const auto& [name, answer] : answers) {
    const JsonValue about = json.parse(answer);
    for (const Engine& engine : Registry<Engine>::all()) {
      const bool same_route = engine.about_paths == Registry<Engine>::find(name)->about_paths &&
                              engine.name != "openai";
      if (engine.name == name) {
        EXPECT_TRUE(engine.recognise(about)) << name;
      } else if (same_route) {
        EXPECT_FALSE(engine.recognise(about)) << engine.name << " took " << name;
      }
    }
  }
}

TEST(Dialects, ReadThePoolFromTheServer) {
  JsonParser json;
  const auto pool = [&](const std::string& engine, const std::string& about) {
    return Registry<Engine>::find(engine)->pool_tokens(json.parse(about), "");
  };
  EXPECT_EQ(pool("sglang", R"({"max_total_num_tokens":495552})"), 495552);
  EXPECT_EQ(pool("sglang", R"({"internal_states":[{"max_total_num_tokens":7}]})"), 7);
  EXPECT_EQ(pool("llama.cpp", R"({"total_slots":4,"default_generation_settings":{"n_ctx":2048}})"),
            8192);
  EXPECT_EQ(Registry<Engine>::find("vllm")->pool_tokens(
                {}, "vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"30972\"} 1.0\n"),
            495552);
  EXPECT_EQ(pool("tgi", R"({"max_batch_total_tokens":100})"), 100);
}

}  // namespace
}  // namespace bench
