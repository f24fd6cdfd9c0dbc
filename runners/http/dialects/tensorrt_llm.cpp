#include "runners/http/engine.h"
#include "runners/http/openai.h"

namespace bench {
namespace {

// trtllm-serve refuses a request with any field that it does not know.
constexpr OpenAiExtensions kExtensions = {
    .continuous_usage = true, .ignore_eos = true, .min_tokens = true};

// Its /metrics are JSON; the Prometheus text lies elsewhere.
const Register<Engine> kEngine{
    {.name = "tensorrt-llm",
     .order = 21,
     .dialects = {"tensorrt-llm", "tensorrt-llm-chat"},
     .about_paths = {"/v1/models"},
     .recognise = [](const JsonValue& about) { return model_owner(about) == "tensorrt_llm"; },
     .version_path = "/version",
     .model = first_model,
     .metrics_path = "/prometheus/metrics"}};

const Register<Dialect> kCompletions{
    {.name = "tensorrt-llm",
     .engine = "tensorrt-llm",
     .path = "/v1/completions",
     .write = [](const Ask& ask) { return write_completions(ask, kExtensions); },
     .read = read_completions}};
const Register<Dialect> kChat{{.name = "tensorrt-llm-chat",
                               .engine = "tensorrt-llm",
                               .path = "/v1/chat/completions",
                               .prompt = PromptForm::text,
                               .write = [](const Ask& ask) { return write_chat(ask, kExtensions); },
                               .read = read_chat}};

}  // namespace
}  // namespace bench
