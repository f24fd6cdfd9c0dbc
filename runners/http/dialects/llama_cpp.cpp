#include "results/json_writer.h"
#include "runners/http/engine.h"
#include "runners/http/openai.h"

namespace bench {
namespace {

constexpr OpenAiExtensions kExtensions = {
    .ignore_eos = true, .timings_per_token = true, .cache_prompt = true};

std::string write_native(const Ask& ask) {
  JsonWriter json;
  json.begin_object().member("prompt", ask.ids).member("n_predict", ask.output_tokens);
  json.member("stream", true).member("temperature", 0).member("ignore_eos", true);
  json.member("cache_prompt", ask.salt.empty());
  json.member("return_tokens", true).member("timings_per_token", true).end_object();
  return json.take();
}

// The server holds text back until it is valid UTF-8, and the `tokens` of the chunks then miss
// some: only its own counters are right.
void read_native(const JsonValue& json, Message& message) {
  read_error(json, message);
  if (!message.error.empty()) return;
  if (json["prompt_progress"]) {
    message.carries_tokens = false;
    return;
  }
  const bool text = !json["content"].text().value_or("").empty() || json["tokens"].size() > 0;
  message.kind = text ? EventKind::text : EventKind::empty;
  if (const auto tokens = json["tokens_predicted"].count()) {
    message.total = message.output_tokens = *tokens;
    message.source = message.output_source = CountSource::engine;
  } else if (json["tokens"].is_array()) {
    message.delta = static_cast<std::int64_t>(json["tokens"].size());
    message.source = CountSource::ids;
  }
  if (const JsonValue timings = json["timings"]) read_llama_timings(timings, message);
  message.prompt_tokens = json["tokens_evaluated"].count().value_or(kUnknown);
  message.last = json["stop"].is_true();
  if (message.last) message.finish_reason = json["stop_type"].text().value_or("stop");
}

std::optional<std::int64_t> pool_tokens(const JsonValue& about, std::string_view /*metrics*/) {
  const auto slots = about["total_slots"].count();
  const auto context = about["default_generation_settings"]["n_ctx"].count();
  if (!slots || !context) return std::nullopt;
  return *slots * *context;  // n_ctx there is one slot's
}

const Register<Engine> kEngine{
    {.name = "llama.cpp",
     .order = 2,
     .dialects = {"llama.cpp", "llama.cpp-completions", "llama.cpp-chat"},
     .about_paths = {"/props"},
     .recognise = [](const JsonValue& about) { return about["total_slots"].count().has_value(); },
     .about_is_arguments = true,
     .version_path = "",
     .version_key = "build_info",
     .model = first_model,
     .pool_tokens = pool_tokens,
     .series = {.running = "llamacpp:requests_processing",
                .waiting = "llamacpp:requests_deferred",
                .kv_use = "",
                .output_tokens = "llamacpp:tokens_predicted_total",
                .prompt_tokens = "llamacpp:prompt_tokens_total"}}};

const Register<Dialect> kNative{{.name = "llama.cpp",
                                 .engine = "llama.cpp",
                                 .path = "/completion",
                                 .done_sentinel = false,
                                 .write = write_native,
                                 .read = read_native}};
const Register<Dialect> kCompletions{
    {.name = "llama.cpp-completions",
     .engine = "llama.cpp",
     .path = "/v1/completions",
     .write = [](const Ask& ask) { return write_completions(ask, kExtensions); },
     .read = read_completions}};
const Register<Dialect> kChat{{.name = "llama.cpp-chat",
                               .engine = "llama.cpp",
                               .path = "/v1/chat/completions",
                               .prompt = PromptForm::text,
                               .write = [](const Ask& ask) { return write_chat(ask, kExtensions); },
                               .read = read_chat}};

}  // namespace
}  // namespace bench
