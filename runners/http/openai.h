#pragma once

#include <string>

#include "runners/http/dialect.h"

namespace bench {

// What an engine understands beyond the OpenAI routes as published. A field it does not know may
// be refused (TensorRT-LLM), so each engine's dialect says which ones to send.
struct OpenAiExtensions {
  bool continuous_usage = false;  // stream_options.continuous_usage_stats
  bool ignore_eos = false;
  bool min_tokens = false;
  bool cache_salt = false;
  bool return_token_ids = false;
  bool timings_per_token = false;  // llama.cpp
  bool cache_prompt = false;       // llama.cpp: cache_prompt false unless caches are allowed
  bool nvext = false;              // Dynamo: salt, and for chat the prompt as ids, in nvext
};

std::string write_completions(const Ask& ask, const OpenAiExtensions& extensions);
std::string write_chat(const Ask& ask, const OpenAiExtensions& extensions);
void read_completions(const JsonValue& json, Message& message);
void read_chat(const JsonValue& json, Message& message);

// llama.cpp's `timings`: its count so far, and its own clock. predicted_ms runs from the first
// token to the last, so it covers predicted_n - 1 steps.
void read_llama_timings(const JsonValue& timings, Message& message);
// {"error": {"message": ...}}, {"error": "..."} and {"object": "error", "message": ...}.
void read_error(const JsonValue& json, Message& message);

}  // namespace bench
