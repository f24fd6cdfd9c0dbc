#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "played_load.h"
#include "runners/runner.h"

namespace bench {

// The whole answer to one request.
inline std::shared_ptr<const Script> answer_of(std::string_view text,
                                               std::string_view status = "200 OK") {
  return script(
      {{Seconds(0), http_head(status, "application/json", static_cast<std::int64_t>(text.size())) +
                        std::string(text)}});
}

// Eight requests of 100 tokens in and 20 out, two at a time.
inline Case case_at(const std::string& url) {
  Case c{.runner = "http", .variant = "before", .parameters = {}};
  c.parameters.endpoint = url;
  c.parameters.context = 100;
  c.parameters.output_tokens = 20;
  c.parameters.concurrency = 2;
  c.parameters.requests = 8;
  c.parameters.duration_s = 0;
  c.parameters.warm_up_s = 0;
  return c;
}

}  // namespace bench
