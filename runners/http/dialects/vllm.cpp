#include <charconv>

#include "runners/http/engine.h"
#include "runners/http/openai.h"
#include "runners/http/prometheus.h"

namespace bench {
namespace {

// Continuous usage is the exact count on every chunk; return_token_ids keeps vLLM's reasoning and
// tool parsers from swallowing chunks. Older versions ignore fields that they do not know.
constexpr OpenAiExtensions kExtensions = {.continuous_usage = true,
                                          .ignore_eos = true,
                                          .min_tokens = true,
                                          .cache_salt = true,
                                          .return_token_ids = true};

// Blocks x block size, from the labels of vllm:cache_config_info.
std::optional<std::int64_t> pool_tokens(const JsonValue& /*about*/, std::string_view metrics) {
  const auto label = [&](std::string_view name) -> std::int64_t {
    const auto text = series_label(metrics, "vllm:cache_config_info", name);
    std::int64_t value = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
  };
  const std::int64_t tokens = label("num_gpu_blocks") * label("block_size");
  return tokens > 0 ? std::optional(tokens) : std::nullopt;
}

const Register<Engine> kEngine{
    {.name = "vllm",
     .order = 20,
     .dialects = {"vllm", "vllm-chat"},
     .about_paths = {"/v1/models"},
     .recognise = [](const JsonValue& about) { return model_owner(about) == "vllm"; },
     // Only in its development mode (VLLM_SERVER_DEV_MODE=1); the series is there always.
     .arguments_path = "/server_info?config_format=json",
     .arguments_series = "vllm:cache_config_info",
     .version_path = "/version",
     .model = first_model,
     .pool_tokens = pool_tokens,
     .series = {.running = "vllm:num_requests_running",
                .waiting = "vllm:num_requests_waiting",
                .kv_use = "vllm:kv_cache_usage_perc",
                .output_tokens = "vllm:generation_tokens",
                .prompt_tokens = "vllm:prompt_tokens"},
     .flush_path = "/reset_prefix_cache"}};

const Register<Dialect> kCompletions{
    {.name = "vllm",
     .engine = "vllm",
     .path = "/v1/completions",
     .write = [](const Ask& ask) { return write_completions(ask, kExtensions); },
     .read = read_completions}};
const Register<Dialect> kChat{{.name = "vllm-chat",
                               .engine = "vllm",
                               .path = "/v1/chat/completions",
                               .prompt = PromptForm::text,
                               .write = [](const Ask& ask) { return write_chat(ask, kExtensions); },
                               .read = read_chat}};

}  // namespace
}  // namespace bench
