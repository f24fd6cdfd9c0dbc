#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/registry.h"
#include "runners/http/json.h"

namespace bench {

// Names of an engine's Prometheus series. Empty: it has none. A series whose name only begins
// with "<name>_total" counts too (prometheus_client adds it to counters).
struct EngineSeries {
  std::string running{};
  std::string waiting{};
  std::string kv_use{};  // fraction
  std::string output_tokens{};
  std::string prompt_tokens{};
};

// A server program: how it is recognised, what it tells of itself. Registered in the file of its
// dialects.
struct Engine {
  std::string name;                     // "vllm"
  int order = 0;                        // of recognition: those whose mark others lack come first
  std::vector<std::string> dialects{};  // tried in this order by `engine: auto`
  // Two routes that may describe it: a newer and an older name, or one alone.
  std::vector<std::string> about_paths{};
  std::function<bool(const JsonValue& about)> recognise{};
  // What it tells of how it was started: in what describes it, in an answer of its own, or in the
  // labels of a Prometheus series.
  bool about_is_arguments = false;
  std::string arguments_path{};
  std::string arguments_series{};
  std::string version_path{};  // empty: in `about`
  std::string version_key = "version";
  std::string model_path = "/v1/models";
  std::function<std::string(const JsonValue& models)> model{};
  // Capacity of the KV pool; `metrics` is the Prometheus text, empty where there is none.
  std::function<std::optional<std::int64_t>(const JsonValue& about, std::string_view metrics)>
      pool_tokens{};
  std::string metrics_path = "/metrics";
  EngineSeries series{};
  std::string flush_path{};  // POST empties the prefix cache; empty: none

  [[nodiscard]] std::string key() const { return name; }
};

// data[0].id of /v1/models; empty when there is none.
std::string first_model(const JsonValue& models);
// data[0].owned_by of /v1/models.
std::string_view model_owner(const JsonValue& models);

}  // namespace bench
