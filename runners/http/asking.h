#pragma once

#include <string>

#include "runners/http/http_fetch.h"
#include "runners/http/live_server.h"
#include "runners/http/prompts.h"

namespace bench {

// The prompts of a pass for a server: ids inside its vocabulary, where it tells it.
PromptSpec spec_of(const LiveServer& server, std::uint64_t seed, std::int64_t tokens);

// The body of a request for `output_tokens`, of the prompt with that serial number.
enum class Answer { streamed, whole };
std::string write_body(const LiveServer& server, const PromptSpec& spec, std::int64_t output_tokens,
                       std::int64_t serial, Answer answer = Answer::streamed);

// What an answer that is not streamed tells of its tokens; kUnknown where it tells nothing, or the
// dialect has no such answers.
struct WholeCounts {
  std::int64_t prompt_tokens = kUnknown;
  std::int64_t output_tokens = kUnknown;
  bool ended_by_limit = false;  // finish reason "length"
};
WholeCounts ask_whole(const HttpEndpoint& endpoint, const LiveServer& server,
                      const PromptSpec& spec, std::int64_t output_tokens, Seconds timeout);

}  // namespace bench
