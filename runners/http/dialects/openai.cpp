#include "runners/http/openai.h"
#include "runners/http/engine.h"

// The OpenAI routes as published, for servers of which nothing more is known. No way to fix the
// output length: the count is checked, and an early end is `short`.
namespace bench {
namespace {

std::string completions(const Ask& ask) { return write_completions(ask, {}); }
std::string chat(const Ask& ask) { return write_chat(ask, {}); }

const Register<Engine> kEngine{
    {.name = "openai",
     .order = 100,
     .dialects = {"openai", "openai-text", "openai-chat"},
     .about_paths = {"/v1/models"},
     .recognise = [](const JsonValue& about) { return about["data"].is_array(); },
     .model = first_model}};

const Register<Dialect> kByIds{{.name = "openai",
                                .engine = "openai",
                                .path = "/v1/completions",
                                .fixed_length = false,
                                .whole_answers = true,
                                .write = completions,
                                .read = read_completions}};
const Register<Dialect> kByText{{.name = "openai-text",
                                 .engine = "openai",
                                 .path = "/v1/completions",
                                 .prompt = PromptForm::text,
                                 .fixed_length = false,
                                 .whole_answers = true,
                                 .write = completions,
                                 .read = read_completions}};
const Register<Dialect> kByChat{{.name = "openai-chat",
                                 .engine = "openai",
                                 .path = "/v1/chat/completions",
                                 .prompt = PromptForm::text,
                                 .fixed_length = false,
                                 .whole_answers = true,
                                 .write = chat,
                                 .read = read_chat}};

}  // namespace
}  // namespace bench
