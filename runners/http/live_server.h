#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runners/http/dialect.h"
#include "runners/http/engine.h"
#include "runners/http/http_client.h"

namespace bench {

// What is known of a server, and from which answer.
struct LiveServer {
  const Engine* engine = nullptr;
  const Dialect* dialect = nullptr;
  std::string found_by;  // "GET /server_info", or "asked for"
  std::string version;
  std::string model;  // as the server names it; may be empty
  std::string about;  // what it says of itself (arguments and all), minified, at most 64 KiB
  std::optional<std::int64_t> pool_tokens;
  std::optional<std::int32_t> vocabulary;  // llama.cpp tells it
};

// Finds out what answers at the endpoint. `engine`: "auto", or a dialect's name, which is then
// taken at its word. Throws Error when nothing answers, or nothing that is known.
LiveServer recognise_server(const HttpEndpoint& endpoint, const std::string& engine,
                            const std::string& served_model);

// The server's own gauges and counters at one moment; absent where it has none.
struct ServerCounters {
  std::optional<double> running;
  std::optional<double> waiting;
  std::optional<double> kv_use;
  std::optional<double> output_tokens;
  std::optional<double> prompt_tokens;
};
ServerCounters scrape(const HttpEndpoint& endpoint, const Engine& engine);

// Empties the prefix cache where the engine has a route for it. What came of it, in words.
std::string flush_cache(const HttpEndpoint& endpoint, const Engine& engine);

}  // namespace bench
