#include "results/json_writer.h"
#include "runners/http/engine.h"
#include "runners/http/openai.h"

namespace bench {
namespace {

std::string write_generate(const Ask& ask) {
  JsonWriter json;
  json.begin_object().member("model", ask.model).member("prompt", ask.text);
  json.member("raw", true).member("stream", true).key("options").begin_object();
  json.member("num_predict", ask.output_tokens).member("temperature", 0);
  json.end_object().end_object();
  return json.take();
}

// One JSON document a line. Counts come on the last line only; keys whose value is zero are left
// out there, so a prompt found whole in the cache has no prompt_eval_count.
void read_generate(const JsonValue& json, Message& message) {
  read_error(json, message);
  if (!message.error.empty()) return;
  if (!json["response"].text().value_or("").empty()) {
    message.kind = EventKind::text;
  } else {
    message.kind =
        json["thinking"].text().value_or("").empty() ? EventKind::empty : EventKind::reasoning;
  }
  message.last = json["done"].is_true();
  if (!message.last) return;
  message.finish_reason = json["done_reason"].text().value_or("stop");
  message.output_tokens = json["eval_count"].count().value_or(kUnknown);
  message.output_source = CountSource::engine;
  message.prompt_tokens = json["prompt_eval_count"].count().value_or(kUnknown);
  if (const auto nanoseconds = json["eval_duration"].number()) {
    message.server_decode = Seconds(*nanoseconds * 1e-9);
    message.server_decode_tokens = message.output_tokens;
  }
}

const Register<Engine> kEngine{
    {.name = "ollama",
     .order = 4,
     .dialects = {"ollama"},
     .about_paths = {"/api/version"},
     .recognise = [](const JsonValue& about) { return about["version"].text().has_value(); },
     .model_path = "/api/tags",
     .model =
         [](const JsonValue& models) {
           return std::string(models["models"].at(0)["name"].text().value_or(""));
         },
     .metrics_path = ""}};

const Register<Dialect> kGenerate{{.name = "ollama",
                                   .engine = "ollama",
                                   .path = "/api/generate",
                                   .framing = Framing::ndjson,
                                   .prompt = PromptForm::text,
                                   .fixed_length = false,
                                   .done_sentinel = false,
                                   .write = write_generate,
                                   .read = read_generate}};

}  // namespace
}  // namespace bench
