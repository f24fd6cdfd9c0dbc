#include "runners/http/asking.h"

#include <algorithm>

#include "harness/format.h"

namespace bench {

PromptSpec spec_of(const LiveServer& server, std::uint64_t seed, std::int64_t tokens) {
  PromptSpec spec;
  spec.seed = seed;
  spec.tokens = tokens;
  if (server.vocabulary) {
    spec.highest_id = std::min(spec.highest_id, *server.vocabulary);
    spec.lowest_id = std::min(spec.lowest_id, spec.highest_id / 2);
  }
  return spec;
}

std::string write_body(const LiveServer& server, const PromptSpec& spec, std::int64_t output_tokens,
                       std::int64_t serial, Answer answer) {
  Ask ask;
  ask.model = server.model;
  ask.output_tokens = output_tokens;
  ask.streamed = answer == Answer::streamed;
  // A salt of its own keeps every cache cold; a shared beginning is meant to be found in one.
  const std::string salt =
      spec.shared_tokens == 0 ? format("bench-{:x}-{}", spec.seed, serial) : std::string();
  ask.salt = salt;
  if (server.dialect->prompt == PromptForm::ids) {
    const std::vector<std::int32_t> ids = prompt_ids(spec, serial);
    ask.ids = ids;
    return server.dialect->write(ask);
  }
  const std::string text = prompt_text(spec, serial);
  ask.text = text;
  return server.dialect->write(ask);
}

WholeCounts ask_whole(const HttpEndpoint& endpoint, const LiveServer& server,
                      const PromptSpec& spec, std::int64_t output_tokens, Seconds timeout) {
  constexpr std::int64_t kSerial = -2;  // a prompt that no other request has
  if (!server.dialect->whole_answers) return {};
  HttpFetch fetch(endpoint);
  const HttpAnswer answer =
      fetch.post(server.dialect->path,
                 write_body(server, spec, output_tokens, kSerial, Answer::whole), timeout);
  if (answer.status != 200) return {};
  JsonParser json;
  Message message;
  server.dialect->read(json.parse(answer.body), message);
  return {.prompt_tokens = message.prompt_tokens,
          .output_tokens = message.output_tokens,
          .ended_by_limit = message.finish_reason == kLimitReason};
}

}  // namespace bench
