#include "runners/http/live_server.h"

#include <algorithm>
#include <array>
#include <map>

#include "harness/error.h"
#include "harness/format.h"
#include "runners/http/prometheus.h"
#include "runners/http/server_words.h"

namespace bench {
namespace {

constexpr Seconds kControlTimeout{10};
constexpr std::size_t kMostArgument = 200;  // bytes
constexpr std::size_t kMostBody = 4096;     // that are looked at for words to show

// What differs from one start of the same server to the next, or while it runs; and what is secret.
constexpr std::array<std::string_view, 18> kNoSettings = {
    "internal_states", "version",        "build_info",    "status",      "max_total_num_tokens",
    "num_gpu_blocks",  "num_cpu_blocks", "instance_id",   "random_seed", "host",
    "dist_init_addr",  "id_task",        "is_processing", "is_sleeping", "system_env",
    "engine",          "created",        "port"};
constexpr std::array<std::string_view, 6> kNoSettingWords = {"_port",  "api_key",  "password",
                                                             "secret", "hf_token", "credential"};

// By the last part of its name, or any outer one.
bool is_setting(std::string_view name) {
  const auto holds = [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  };
  if (std::ranges::any_of(kNoSettingWords, holds)) return false;
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    if (std::ranges::find(kNoSettings, name.substr(0, dot)) != kNoSettings.end()) return false;
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  return true;
}

// Answers of GETs, each asked once.
class Answers {
 public:
  explicit Answers(HttpFetch& fetch) : fetch_(fetch) {}
  // What the routes that were asked answered, for who cannot use it.
  [[nodiscard]] std::string summary() const {
    std::map<std::string, std::vector<std::string>> routes;  // by answer
    for (const auto& [path, answer] : answers_) {
      const std::string body = redact(answer.body.substr(0, kMostBody), fetch_.endpoint().key);
      routes[answer.status == 0
                 ? answer.words
                 : one_line(format("HTTP {} {}", answer.status, body), kMostArgument)]
          .push_back(path);
    }
    std::vector<std::string> all;
    all.reserve(routes.size());
    for (const auto& [answer, paths] : routes) {
      all.push_back(format("{}: {}", join(paths, ", "), answer));
    }
    return format("{}", join(all, "; "));
  }
  [[nodiscard]] bool any(int status) const {
    return std::ranges::any_of(answers_, [&](const auto& a) { return a.second.status == status; });
  }
  const HttpAnswer& get(const std::string& path) {
    const auto [it, added] = answers_.try_emplace(path);
    if (added) {
      it->second = fetch_.get(path, kControlTimeout);
      if (it->second.status == 0 && answered_ == 0) {
        fail(format("{}{}: {}", fetch_.endpoint().url, path, it->second.words));
      }
      if (it->second.status != 0) ++answered_;
    }
    return it->second;
  }

 private:
  HttpFetch& fetch_;
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

// The leaves of a JSON document as "outer.inner": value.
void add_leaves(const JsonValue& json, const std::string& name, LiveServer& server) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.fields()) {
      add_leaves(value, name.empty() ? std::string(key) : format("{}.{}", name, key), server);
    }
  } else if (json) {
    server.arguments[one_line(name)] = json.text() ? std::string(*json.text()) : json.dump();
  }
}

void read_arguments(LiveServer& server, const JsonValue& about, Answers& answers,
                    std::string_view key) {
  const Engine& engine = *server.engine;
  if (engine.about_is_arguments) add_leaves(about, {}, server);
  if (!engine.arguments_path.empty()) {
    const HttpAnswer& answer = answers.get(engine.arguments_path);
    JsonParser json;
    if (answer.status == 200) add_leaves(json.parse(answer.body), {}, server);
  }
  if (!engine.arguments_series.empty()) {
    const std::string& metrics = answers.get(engine.metrics_path).body;
    for (const auto& [label, value] : series_labels(metrics, engine.arguments_series)) {
      server.arguments[label] = value;
    }
  }
  std::erase_if(server.arguments, [](const auto& argument) { return !is_setting(argument.first); });
  for (auto& [name, value] : server.arguments) {
    const std::size_t bytes = value.size();
    value = one_line(redact(std::move(value), key), kMostArgument);
    if (bytes > kMostArgument) value += format("... ({} bytes)", bytes);
  }
}

void describe(LiveServer& server, const HttpAnswer* about_answer, Answers& answers,
              const HttpEndpoint& endpoint) {
  JsonParser json;
  const Engine& engine = *server.engine;
  if (about_answer != nullptr) {
    const JsonValue about = json.parse(about_answer->body);
    server.version = about[engine.version_key].text().value_or("");
    read_arguments(server, about, answers, endpoint.key);
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
  server.version = one_line(server.version, kMostArgument);
  const HttpAnswer& models_answer = answers.get(engine.model_path);
  const JsonValue models = json.parse(models_answer.body);
  if (server.model.empty() && engine.model && models) server.model = engine.model(models);
  if (const auto size = models["data"].at(0)["meta"]["n_vocab"].count()) {
    server.vocabulary = static_cast<std::int32_t>(std::min<std::int64_t>(*size, 1 << 30));
  }
}

// What to do about a server that is not recognised.
std::string_view advice(const Answers& answers, const HttpEndpoint& endpoint) {
  if (answers.any(401) || answers.any(403)) {
    return endpoint.key.empty() ? "it wants a key (BENCH_API_KEY, api_key_env or api_key_file); "
                                : "it refuses the key; ";
  }
  if (answers.any(301) || answers.any(302) || answers.any(307) || answers.any(308)) {
    return "redirects are not followed, so give the URL behind them; ";
  }
  if (answers.any(503)) return "it may still be loading; ";
  return "`engine` may name the dialect it speaks; ";
}

const Dialect& dialect_named(const std::string& name) {
  if (const Dialect* dialect = Registry<Dialect>::find(name)) return *dialect;
  std::vector<std::string> names = {"auto"};
  for (const Dialect& dialect : Registry<Dialect>::all()) names.push_back(dialect.name);
  fail_usage(format("engine: no dialect '{}' (there are: {})", name, join(names, ", ")));
}

}  // namespace

LiveServer recognise_server(HttpFetch& fetch, const std::string& engine,
                            const std::string& served_model) {
  Answers answers(fetch);
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
      fail(format("{}: no engine that is known answers there: {}{}", fetch.endpoint().url,
                  advice(answers, fetch.endpoint()), answers.summary()));
    }
  } else {
    server.dialect = &dialect_named(engine);
    server.engine = Registry<Engine>::find(server.dialect->engine);
    about = recognise(*server.engine, answers, json, server.found_by);
    if (about == nullptr) server.found_by = "asked for";
  }
  describe(server, about, answers, fetch.endpoint());
  return server;
}

ServerCounters scrape(HttpFetch& fetch, const Engine& engine) {
  ServerCounters counters;
  if (engine.metrics_path.empty()) return counters;
  const HttpAnswer answer = fetch.get(engine.metrics_path, kControlTimeout);
  if (answer.status != 200) return counters;
  const EngineSeries& series = engine.series;
  counters.running = series_sum(answer.body, series.running);
  counters.waiting = series_sum(answer.body, series.waiting);
  counters.kv_use = series_sum(answer.body, series.kv_use);
  counters.output_tokens = series_sum(answer.body, series.output_tokens);
  counters.prompt_tokens = series_sum(answer.body, series.prompt_tokens);
  return counters;
}

std::string flush_cache(HttpFetch& fetch, const Engine& engine) {
  if (engine.flush_path.empty()) return "no flush route";
  const HttpAnswer answer = fetch.post(engine.flush_path, "{}", kControlTimeout);
  if (answer.status == 0) return format("POST {}: {}", engine.flush_path, answer.words);
  return format("POST {}: HTTP {}", engine.flush_path, answer.status);
}

std::vector<Fact> server_facts(const LiveServer& server) {
  std::vector<Fact> facts = {{"server", server.engine->name, FactRole::machine}};
  if (!server.version.empty()) facts.push_back({"server.version", server.version});
  for (const auto& [name, value] : server.arguments) {
    if (!value.empty()) facts.push_back({"server." + name, value, FactRole::machine});
  }
  return facts;
}

}  // namespace bench
