#pragma once

#include <memory>
#include <string>

#include "runners/http/http_client.h"

namespace bench {

struct HttpAnswer {
  int status = 0;     // 0: no answer
  std::string body;   // bounded
  std::string words;  // why there is no answer
};

// Blocking requests, one after another on one kept connection: for all that is not measured.
class HttpFetch {
 public:
  explicit HttpFetch(const HttpEndpoint& endpoint);
  ~HttpFetch();
  HttpFetch(const HttpFetch&) = delete;
  HttpFetch& operator=(const HttpFetch&) = delete;

  HttpAnswer get(const std::string& path, Seconds timeout);
  HttpAnswer post(const std::string& path, const std::string& json, Seconds timeout);
  [[nodiscard]] const HttpEndpoint& endpoint() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bench
