#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "harness/registry.h"
#include "runners/http/json.h"
#include "runners/http/request_record.h"

namespace bench {

// One request, to be written in some dialect.
struct Ask {
  std::string_view model;             // as the server names it; may be empty
  std::span<const std::int32_t> ids;  // the prompt, where the dialect takes ids
  std::string_view text;              // the prompt, where it does not
  std::int64_t output_tokens = 1;
  bool streamed = true;   // false: the whole answer at once, where the dialect has whole_answers
  std::string_view salt;  // unique: no prefix cache may help. Empty: caches are allowed
};

// What one message of a response says, in words that all dialects share. Views live until the next
// message is parsed.
struct Message {
  EventKind kind = EventKind::other;
  bool carries_tokens = true;              // false: usage alone, progress, ...: never a token event
  std::int64_t total = kUnknown;           // output tokens so far
  std::int64_t delta = kUnknown;           // output tokens in this message
  CountSource source = CountSource::none;  // of total, or else of delta
  std::int64_t output_tokens = kUnknown;   // the final count
  CountSource output_source = CountSource::none;
  std::int64_t prompt_tokens = kUnknown;
  std::int64_t cached_tokens = kUnknown;
  Seconds server_decode{-1};
  std::int64_t server_decode_tokens = kUnknown;
  std::string_view finish_reason;
  std::string_view error;  // an error in the middle of the stream
  bool last = false;       // the engine's own end mark
};

// The finish reason of an answer that is as long as was asked.
inline constexpr std::string_view kLimitReason = "length";

enum class Framing { sse, ndjson };
enum class PromptForm { ids, text };

// One way to ask for tokens and to read them: a file ending in
//   const Register<Dialect> registered{{.name = "vllm", ...}};
struct Dialect {
  std::string name;    // "vllm", "vllm-chat": what a configuration's `engine` may say
  std::string engine;  // an Engine
  std::string path;    // "/v1/completions"
  Framing framing = Framing::sse;
  PromptForm prompt = PromptForm::ids;
  bool fixed_length = true;    // can be told to ignore the end of sequence
  bool whole_answers = false;  // can be asked for an answer that is not streamed
  bool done_sentinel = true;   // ends in "data: [DONE]"
  std::function<std::string(const Ask&)> write;
  std::function<void(const JsonValue&, Message&)> read;

  [[nodiscard]] std::string key() const { return name; }
};

}  // namespace bench
