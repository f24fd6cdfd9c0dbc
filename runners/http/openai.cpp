#include "runners/http/openai.h"

#include "results/json_writer.h"
#include "runners/http/engine.h"

namespace bench {
namespace {

void write_shared(JsonWriter& json, const Ask& ask, const OpenAiExtensions& extensions) {
  json.member("max_tokens", ask.output_tokens).member("temperature", 0);
  json.member("stream", ask.streamed);
  if (ask.streamed) {
    json.key("stream_options").begin_object().member("include_usage", true);
    if (extensions.continuous_usage) json.member("continuous_usage_stats", true);
    json.end_object();
  }
  if (extensions.ignore_eos) json.member("ignore_eos", true);
  if (extensions.min_tokens) json.member("min_tokens", ask.output_tokens);
  if (extensions.return_token_ids) json.member("return_token_ids", true);
  if (extensions.timings_per_token) json.member("timings_per_token", true);
  if (extensions.cache_prompt) json.member("cache_prompt", ask.salt.empty());
  if (extensions.cache_salt && !ask.salt.empty()) json.member("cache_salt", ask.salt);
}

void write_nvext(JsonWriter& json, const Ask& ask, bool prompt_in_nvext) {
  json.key("nvext").begin_object();
  if (prompt_in_nvext) json.member("token_data", ask.ids);
  if (!ask.salt.empty()) json.member("cache_salt", ask.salt);
  json.end_object();
}

void read_usage(const JsonValue& usage, Message& message) {
  if (const auto tokens = usage["completion_tokens"].count()) {
    message.total = message.output_tokens = *tokens;
    message.source = message.output_source = CountSource::usage;
  }
  message.prompt_tokens = usage["prompt_tokens"].count().value_or(kUnknown);
  message.cached_tokens =
      usage["prompt_tokens_details"]["cached_tokens"].count().value_or(kUnknown);
}

bool not_empty(const JsonValue& value) { return !value.text().value_or("").empty(); }

// What both routes share; gives the first choice, absent in a message without choices.
JsonValue read_shared(const JsonValue& json, Message& message) {
  read_error(json, message);
  if (const JsonValue timings = json["timings"]) read_llama_timings(timings, message);
  const JsonValue usage = json["usage"];
  if (usage) read_usage(usage, message);
  const JsonValue choice = json["choices"].at(0);
  if (!choice) {
    message.carries_tokens = false;
    message.kind = usage ? EventKind::usage : EventKind::other;
    return choice;
  }
  message.kind = EventKind::empty;
  message.finish_reason = choice["finish_reason"].text().value_or("");
  if (const JsonValue ids = choice["token_ids"]; ids.is_array() && message.total == kUnknown) {
    message.delta = static_cast<std::int64_t>(ids.size());
    message.source = CountSource::ids;
  }
  return choice;
}

}  // namespace

std::string write_completions(const Ask& ask, const OpenAiExtensions& extensions) {
  JsonWriter json;
  json.begin_object().member("model", ask.model).key("prompt");
  if (ask.ids.empty()) {
    json.value(ask.text);
  } else {
    json.value(ask.ids);
  }
  write_shared(json, ask, extensions);
  if (extensions.nvext) write_nvext(json, ask, false);
  json.end_object();
  return json.take();
}

std::string write_chat(const Ask& ask, const OpenAiExtensions& extensions) {
  JsonWriter json;
  json.begin_object().member("model", ask.model).key("messages").begin_array().begin_object();
  json.member("role", "user").member("content", ask.text).end_object().end_array();
  write_shared(json, ask, extensions);
  if (extensions.nvext) write_nvext(json, ask, true);
  json.end_object();
  return json.take();
}

void read_completions(const JsonValue& json, Message& message) {
  const JsonValue choice = read_shared(json, message);
  if (not_empty(choice["text"])) message.kind = EventKind::text;
}

void read_chat(const JsonValue& json, Message& message) {
  const JsonValue delta = read_shared(json, message)["delta"];
  if (!delta) return;
  if (not_empty(delta["content"]) || delta["tool_calls"].size() > 0) {
    message.kind = EventKind::text;
  } else if (not_empty(delta["reasoning_content"]) || not_empty(delta["reasoning"])) {
    message.kind = EventKind::reasoning;
  } else if (delta["role"]) {
    message.kind = EventKind::role;
  }
}

void read_llama_timings(const JsonValue& timings, Message& message) {
  const auto tokens = timings["predicted_n"].count();
  if (!tokens) return;
  message.total = message.output_tokens = *tokens;
  message.source = message.output_source = CountSource::engine;
  message.cached_tokens = timings["cache_n"].count().value_or(kUnknown);
  if (const auto ms = timings["predicted_ms"].number(); ms && *tokens > 1) {
    message.server_decode = Seconds(*ms / 1000);
    message.server_decode_tokens = *tokens - 1;
  }
}

void read_error(const JsonValue& json, Message& message) {
  const JsonValue error = json["error"];
  const bool old_form = json["object"].text() == "error";
  if (!error && !old_form) return;
  const auto text = old_form ? json["message"].text() : error.text();
  const auto nested = error["message"].text();
  message.kind = EventKind::error;
  message.error = text ? *text : nested.value_or("an error without a message");
  if (message.error.empty()) message.error = "an error without a message";
}

std::string first_model(const JsonValue& models) {
  return std::string(models["data"].at(0)["id"].text().value_or(""));
}

std::string_view model_owner(const JsonValue& models) {
  return models["data"].at(0)["owned_by"].text().value_or("");
}

}  // namespace bench
