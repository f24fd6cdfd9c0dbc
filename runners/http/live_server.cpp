#include "runners/http/live_server.h"

#include <algorithm>
#include <map>

#include "harness/error.h"
#include "harness/format.h"
#include "runners/http/prometheus.h"
#include "runners/http/request_run.h"

namespace bench {
namespace {

constexpr Seconds kControlTimeout{10};
constexpr std::size_t kMostAbout = std::size_t{64} << 10;

// Answers of GETs, each asked once.
class Answers {
 public:
  explicit Answers(const HttpEndpoint& endpoint) : endpoint_(endpoint) {}
  const HttpAnswer& get(const std::string& path) {
    const auto [it, added] = answers_.try_emplace(path);
    if (added) {
      it->second = http_fetch(endpoint_, path, {}, kControlTimeout);
      if (it->second.status == 0 && answered_ == 0) {
        fail(format("{}{}: {}", endpoint_.url, path, it->second.words));
      }
      if (it->second.status != 0) ++answered_;
    }
    return it->second;
  }

 private:
  const HttpEndpoint& endpoint_;
  std::map<std::string, HttpAnswer> answers_;
  int answered_ = 0;
};

std::vector<const Engine*> engines_in_order() {
  std::vector<const Engine*> engines;
  for (const Engine& engine : Registry<Engine>::all()) engines.push_back(&engine);
  std::ranges::sort(engines, {}, [](const Engine* e) { return e->order; });
  return engines;
}

// The answer by which the engine is recognised; nullptr: it is another.
const HttpAnswer* recognise(const Engine& engine, Answers& answers, JsonParser& json,
                            std::string& found_by) {
  for (const std::string& path : engine.about_paths) {
    const HttpAnswer& answer = answers.get(path);
    if (answer.status != 200) continue;
    const JsonValue about = json.parse(answer.body);
    if (!about || !engine.recognise(about)) continue;
    found_by = "GET " + path;
    return &answer;
  }
  return nullptr;
}

void describe(LiveServer& server, const HttpAnswer* about_answer, Answers& answers,
              const HttpEndpoint& endpoint) {
  JsonParser json;
  const Engine& engine = *server.engine;
  if (about_answer != nullptr) {
    const JsonValue about = json.parse(about_answer->body);
    server.version = about[engine.version_key].text().value_or("");
    server.about = redact(about.dump(), endpoint.key).substr(0, kMostAbout);
    if (engine.pool_tokens) {
      const std::string metrics =
          engine.metrics_path.empty() ? "" : answers.get(engine.metrics_path).body;
      server.pool_tokens = engine.pool_tokens(about, metrics);
    }
  }
  if (!engine.version_path.empty()) {
    const JsonValue version = json.parse(answers.get(engine.version_path).body);
    server.version = version[engine.version_key].text().value_or("");
  }
  const HttpAnswer& models_answer = answers.get(engine.model_path);
  const JsonValue models = json.parse(models_answer.body);
  if (server.model.empty() && engine.model && models) server.model = engine.model(models);
  if (const auto size = models["data"].at(0)["meta"]["n_vocab"].count()) {
    server.vocabulary = static_cast<std::int32_t>(std::min<std::int64_t>(*size, 1 << 30));
  }
}

const Dialect& dialect_named(const std::string& name) {
  if (const Dialect* dialect = Registry<Dialect>::find(name)) return *dialect;
  std::vector<std::string> names = {"auto"};
  for (const Dialect& dialect : Registry<Dialect>::all()) names.push_back(dialect.name);
  fail_usage(format("engine: no dialect '{}' (there are: {})", name, join(names, ", ")));
}

}  // namespace

LiveServer recognise_server(const HttpEndpoint& endpoint, const std::string& engine,
                            const std::string& served_model) {
  Answers answers(endpoint);
  JsonParser json;
  LiveServer server;
  server.model = served_model;
  const HttpAnswer* about = nullptr;
  if (engine == "auto") {
    for (const Engine* candidate : engines_in_order()) {
      about = recognise(*candidate, answers, json, server.found_by);
      if (about == nullptr) continue;
      server.engine = candidate;
      server.dialect = Registry<Dialect>::find(candidate->dialects.front());
      break;
    }
    if (server.engine == nullptr) {
      fail(
          format("{}: no engine that is known answers there; `engine` in the configuration may "
                 "name the dialect it speaks",
                 endpoint.url));
    }
  } else {
    server.dialect = &dialect_named(engine);
    server.engine = Registry<Engine>::find(server.dialect->engine);
    about = recognise(*server.engine, answers, json, server.found_by);
    if (about == nullptr) server.found_by = "asked for";
  }
  describe(server, about, answers, endpoint);
  return server;
}

ServerCounters scrape(const HttpEndpoint& endpoint, const Engine& engine) {
  ServerCounters counters;
  if (engine.metrics_path.empty()) return counters;
  const HttpAnswer answer = http_fetch(endpoint, engine.metrics_path, {}, kControlTimeout);
  if (answer.status != 200) return counters;
  const EngineSeries& series = engine.series;
  counters.running = series_sum(answer.body, series.running);
  counters.waiting = series_sum(answer.body, series.waiting);
  counters.kv_use = series_sum(answer.body, series.kv_use);
  counters.output_tokens = series_sum(answer.body, series.output_tokens);
  counters.prompt_tokens = series_sum(answer.body, series.prompt_tokens);
  return counters;
}

std::string flush_cache(const HttpEndpoint& endpoint, const Engine& engine) {
  if (engine.flush_path.empty()) return "no flush route";
  const HttpAnswer answer = http_fetch(endpoint, engine.flush_path, "{}", kControlTimeout);
  if (answer.status == 0) return format("POST {}: {}", engine.flush_path, answer.words);
  return format("POST {}: HTTP {}", engine.flush_path, answer.status);
}

}  // namespace bench
