#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/environment.h"
#include "runners/http/dialect.h"
#include "runners/http/engine.h"
#include "runners/http/http_fetch.h"

namespace bench {

// What is known of a server, and from which answer.
struct LiveServer {
  const Engine* engine = nullptr;
  const Dialect* dialect = nullptr;
  std::string found_by;  // "GET /server_info", or "asked for"
  std::string version;
  std::string model;  // as the server names it; may be empty
  // What it says of how it was started, by name: "kv_cache_dtype", "fp8_e4m3". No key, no port, and
  // nothing that is the server's state.
  std::map<std::string, std::string> arguments;
  std::optional<std::int64_t> pool_tokens;
  std::optional<std::int32_t> vocabulary;  // llama.cpp tells it
};

// Finds out what answers at the endpoint. `engine`: "auto", or a dialect's name, which is then
// taken at its word. Throws Error when nothing answers, or nothing that is known.
LiveServer recognise_server(HttpFetch& fetch, const std::string& engine,
                            const std::string& served_model);

// The server's own gauges and counters at one moment; absent where it has none.
struct ServerCounters {
  std::optional<double> running;
  std::optional<double> waiting;
  std::optional<double> kv_use;
  std::optional<double> output_tokens;
  std::optional<double> prompt_tokens;
};
ServerCounters scrape(HttpFetch& fetch, const Engine& engine);

// Empties the prefix cache where the engine has a route for it. What came of it, in words.
std::string flush_cache(HttpFetch& fetch, const Engine& engine);

// What of it belongs to the environment of a run: "server", "server.version" and its arguments, as
// "server.kv_cache_dtype". Runs under other arguments are not compared.
std::vector<Fact> server_facts(const LiveServer& server);

}  // namespace bench
