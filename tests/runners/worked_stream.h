#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runners/http/stream_reader.h"

namespace bench {

// A chat stream on which ten clients disagree: role at 50 ms; text at 200 (1 token), 230 (3), 260
// (3), 290 (1); finish chunk at 291; usage at 292; [DONE] at 330.
inline std::vector<std::pair<double, std::string>> worked_stream() {
  const auto chunk = [](const std::string& choice, int tokens) {
    return R"(data: {"choices":[)" + choice +
           R"(],"usage":{"prompt_tokens":11,"completion_tokens":)" + std::to_string(tokens) +
           "}}\n\n";
  };
  const auto text = [&](const std::string& words, int tokens) {
    return chunk(R"({"index":0,"delta":{"content":")" + words + R"("},"finish_reason":null})",
                 tokens);
  };
  return {{0.050, chunk(R"({"index":0,"delta":{"role":"assistant","content":""}})", 0)},
          {0.200, text("a", 1)},
          {0.230, text("b c d", 4)},
          {0.260, text("e f g", 7)},
          {0.290, text("h", 8)},
          {0.291, chunk(R"({"index":0,"delta":{},"finish_reason":"length"})", 8)},
          {0.292, chunk("", 8)},
          {0.330, "data: [DONE]\n\n"}};
}

inline RequestRecord read_stream(const std::string& dialect,
                                 const std::vector<std::pair<double, std::string>>& reads,
                                 std::int64_t asked = 0) {
  RequestRecord record;
  record.output_asked = asked;
  record.sent = Seconds(0);
  JsonParser json;
  StreamReader reader(*Registry<Dialect>::find(dialect), json, record);
  for (const auto& [at, bytes] : reads) reader.feed(Seconds(at), bytes);
  reader.finish();
  record.end = Seconds(reads.empty() ? 0 : reads.back().first);
  return record;
}

}  // namespace bench
