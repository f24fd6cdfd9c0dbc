#include "results/json_writer.h"
#include "runners/http/engine.h"
#include "runners/http/openai.h"

namespace bench {
namespace {

constexpr OpenAiExtensions kExtensions = {
    .continuous_usage = true, .ignore_eos = true, .min_tokens = true, .cache_salt = true};

std::string write_generate(const Ask& ask) {
  JsonWriter json;
  json.begin_object().member("input_ids", ask.ids).key("sampling_params").begin_object();
  json.member("max_new_tokens", ask.output_tokens);
  json.member("min_new_tokens", ask.output_tokens);
  json.member("ignore_eos", true).member("temperature", 0).end_object();
  json.member("stream", true);
  if (!ask.salt.empty()) json.member("extra_key", ask.salt);
  json.end_object();
  return json.take();
}

// Text and output_ids are cumulative or not, as the server was started; completion_tokens is
// cumulative always and on every message, so nothing else is looked at.
void read_generate(const JsonValue& json, Message& message) {
  read_error(json, message);
  const JsonValue meta = json["meta_info"];
  if (!meta) {
    message.carries_tokens = false;
    return;
  }
  message.kind = EventKind::text;
  if (const auto tokens = meta["completion_tokens"].count()) {
    message.total = message.output_tokens = *tokens;
    message.source = message.output_source = CountSource::engine;
  }
  message.prompt_tokens = meta["prompt_tokens"].count().value_or(kUnknown);
  message.cached_tokens = meta["cached_tokens"].count().value_or(kUnknown);
  const JsonValue reason = meta["finish_reason"];
  message.finish_reason = reason["type"].text().value_or(reason.text().value_or(""));
  if (message.finish_reason == "abort") {
    message.error = reason["message"].text().value_or("the server aborted the request");
  }
}

std::optional<std::int64_t> pool_tokens(const JsonValue& about, std::string_view /*metrics*/) {
  if (const auto tokens = about["max_total_num_tokens"].count()) return tokens;
  return about["internal_states"].at(0)["max_total_num_tokens"].count();
}

const Register<Engine> kEngine{
    {.name = "sglang",
     .order = 1,
     .dialects = {"sglang", "sglang-completions", "sglang-chat"},
     .about_paths = {"/server_info", "/get_server_info"},
     .recognise = [](const JsonValue& about) { return pool_tokens(about, {}).has_value(); },
     .about_is_arguments = true,
     .model = first_model,
     .pool_tokens = pool_tokens,
     .series = {.running = "sglang:num_running_reqs",
                .waiting = "sglang:num_queue_reqs",
                .kv_use = "sglang:token_usage",
                .output_tokens = "sglang:generation_tokens_total",
                .prompt_tokens = "sglang:prompt_tokens_total"},
     .flush_path = "/flush_cache"}};

const Register<Dialect> kGenerate{{.name = "sglang",
                                   .engine = "sglang",
                                   .path = "/generate",
                                   .write = write_generate,
                                   .read = read_generate}};
const Register<Dialect> kCompletions{
    {.name = "sglang-completions",
     .engine = "sglang",
     .path = "/v1/completions",
     .write = [](const Ask& ask) { return write_completions(ask, kExtensions); },
     .read = read_completions}};
const Register<Dialect> kChat{{.name = "sglang-chat",
                               .engine = "sglang",
                               .path = "/v1/chat/completions",
                               .prompt = PromptForm::text,
                               .write = [](const Ask& ask) { return write_chat(ask, kExtensions); },
                               .read = read_chat}};

}  // namespace
}  // namespace bench
