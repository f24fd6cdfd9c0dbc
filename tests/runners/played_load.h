#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "runners/http/load.h"
#include "runners/http/scripted_server.h"

namespace bench {

using Steps = std::vector<ScriptStep>;

inline std::shared_ptr<const Script> script(Steps steps, std::size_t write_bytes = 0) {
  return std::make_shared<const Script>(Script{std::move(steps), write_bytes});
}

inline std::string token(int number, bool last = false) {
  return R"(data: {"choices":[{"text":"w","finish_reason":)" +
         std::string(last ? R"("length")" : "null") +
         R"(}],"usage":{"prompt_tokens":4,"completion_tokens":)" + std::to_string(number) +
         "}}\n\n";
}

// Head, `tokens` events and [DONE], as one block of bytes.
inline std::string stream(int tokens) {
  std::string bytes = http_head("200 OK", "text/event-stream");
  for (int i = 1; i <= tokens; ++i) bytes += http_chunk(token(i, i == tokens));
  return bytes + http_chunk("data: [DONE]\n\n") + http_chunk("");
}

struct Played {
  LoadOutcome outcome;
  std::vector<RequestRecord> records;
};

inline LoadTarget target_at(const std::string& url, std::int64_t tokens) {
  LoadTarget target;
  target.endpoint.url = url;
  target.dialect = Registry<Dialect>::find("vllm");
  target.prompt_tokens = 4;
  target.output_tokens = tokens;
  target.body = [](std::int64_t serial) { return "{\"n\":" + std::to_string(serial) + "}"; };
  return target;
}

inline Played play(const LoadTarget& target, const LoadPlan& plan) {
  Played played;
  played.outcome = run_load(
      plan, target, [&](RequestRecord record) { played.records.push_back(std::move(record)); });
  return played;
}

// One request, answered by one script, asking for two tokens.
inline RequestRecord answered_by(std::shared_ptr<const Script> answer, LoadPlan plan = {}) {
  ScriptedServer server([&](auto, auto) { return ScriptedAnswer{answer}; });
  plan.requests = 1;
  return play(target_at(server.url(), 2), plan).records.at(0);
}

}  // namespace bench
