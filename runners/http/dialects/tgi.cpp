#include "results/json_writer.h"
#include "runners/http/engine.h"
#include "runners/http/openai.h"

namespace bench {
namespace {

std::string write_generate(const Ask& ask) {
  JsonWriter json;
  json.begin_object().member("inputs", ask.text).key("parameters").begin_object();
  json.member("max_new_tokens", ask.output_tokens).member("do_sample", false);
  json.member("details", true).member("decoder_input_details", false);
  json.end_object().end_object();
  return json.take();
}

// One event a token, special tokens included. The details of the last one hold the final counts.
void read_generate(const JsonValue& json, Message& message) {
  read_error(json, message);
  if (!message.error.empty()) return;
  const JsonValue token = json["token"];
  message.kind = token ? EventKind::text : EventKind::empty;
  message.carries_tokens = static_cast<bool>(token);
  message.delta = 1;
  message.source = CountSource::ids;
  const JsonValue details = json["details"];
  if (!details && !json["generated_text"]) return;
  message.last = true;
  message.finish_reason = details["finish_reason"].text().value_or("");
  message.output_tokens = details["generated_tokens"].count().value_or(kUnknown);
  message.output_source = CountSource::engine;
  message.prompt_tokens = details["input_length"].count().value_or(kUnknown);
}

const Register<Engine> kEngine{{.name = "tgi",
                                .order = 3,
                                .dialects = {"tgi"},
                                .about_paths = {"/info"},
                                .recognise =
                                    [](const JsonValue& about) {
                                      return about["max_total_tokens"] ||
                                             about["max_batch_total_tokens"];
                                    },
                                .about_is_arguments = true,
                                .model_path = "/info",
                                .model =
                                    [](const JsonValue& models) {
                                      return std::string(models["model_id"].text().value_or(""));
                                    },
                                .pool_tokens =
                                    [](const JsonValue& about, std::string_view /*metrics*/) {
                                      return about["max_batch_total_tokens"].count();
                                    },
                                .series = {.running = "tgi_batch_current_size",
                                           .waiting = "tgi_queue_size",
                                           .kv_use = "",
                                           .output_tokens = "tgi_request_generated_tokens_sum",
                                           .prompt_tokens = "tgi_request_input_length_sum"}}};

const Register<Dialect> kGenerate{{.name = "tgi",
                                   .engine = "tgi",
                                   .path = "/generate_stream",
                                   .prompt = PromptForm::text,
                                   .fixed_length = false,
                                   .done_sentinel = false,
                                   .write = write_generate,
                                   .read = read_generate}};

}  // namespace
}  // namespace bench
