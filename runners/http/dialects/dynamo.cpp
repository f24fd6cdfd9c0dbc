#include "runners/http/engine.h"
#include "runners/http/openai.h"

namespace bench {
namespace {

constexpr OpenAiExtensions kExtensions = {
    .continuous_usage = true, .ignore_eos = true, .min_tokens = true, .nvext = true};

const Register<Engine> kEngine{
    {.name = "dynamo",
     .order = 10,
     .dialects = {"dynamo", "dynamo-chat"},
     .about_paths = {"/health"},
     .recognise = [](const JsonValue& about) { return about["instances"].is_array(); },
     .model = first_model,
     .series = {.running = "dynamo_frontend_inflight_requests",
                .waiting = "dynamo_frontend_queued_requests",
                .kv_use = "",
                .output_tokens = "dynamo_frontend_output_tokens",
                .prompt_tokens = ""}}};

const Register<Dialect> kCompletions{
    {.name = "dynamo",
     .engine = "dynamo",
     .path = "/v1/completions",
     .write = [](const Ask& ask) { return write_completions(ask, kExtensions); },
     .read = read_completions}};
// The chat route takes ids too, in nvext.token_data.
const Register<Dialect> kChat{{.name = "dynamo-chat",
                               .engine = "dynamo",
                               .path = "/v1/chat/completions",
                               .write = [](const Ask& ask) { return write_chat(ask, kExtensions); },
                               .read = read_chat}};

}  // namespace
}  // namespace bench
