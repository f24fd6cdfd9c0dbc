#include "workloads/blocks.h"

#include <algorithm>
#include <cctype>

#include "harness/format.h"
#include "harness/suggest.h"
#include "harness/units.h"
#include "workloads/keys.h"

namespace bench {
namespace {

constexpr double kDay = 86400;

std::string read_signal(const Yaml& node) {
  constexpr std::string_view kSignals[] = {"TERM", "INT", "HUP", "QUIT", "KILL"};
  const std::string& name = word(node, "stop_signal");
  if (std::ranges::count(kSignals, std::string_view(name)) == 0) {
    complain(node.where,
             format("stop_signal: no choice '{}' (there are: {})", name, join(kSignals, ", ")));
  }
  return name;
}

std::map<std::string, std::string> read_environment(const Yaml& node) {
  std::map<std::string, std::string> environment;
  for (const auto& [key, where, value] : map_of(node, "environment").entries) {
    check_name(key, where, "environment variable", "_");
    environment[key] = word(value, key);
  }
  return environment;
}

std::string read_url(const Yaml& node) {
  const std::string& url = word(node, "ready");
  const bool known =
      url.starts_with("http://") || url.starts_with("https://") || url.starts_with("${");
  if (!known) complain(node.where, "ready: expected http://... or https://...");
  return url;
}

Server read_server(const YamlEntry& entry) {
  check_name(entry.key, entry.where, "server", "_-");
  check_keys(entry.value,
             {"command", "environment", "directory", "ready", "deadline", "stop_signal",
              "stop_deadline", "log"},
             "server");
  Server server;
  server.name = entry.key;
  for (const auto& [key, where, value] : entry.value.entries) {
    if (key == "command") server.command = words(value, key);
    if (key == "environment") server.environment = read_environment(value);
    if (key == "directory") server.directory = word(value, key);
    if (key == "ready") server.ready = read_url(value);
    if (key == "deadline") server.deadline_s = seconds_in(value, key, 1, 7 * kDay);
    if (key == "stop_signal") server.stop_signal = read_signal(value);
    if (key == "stop_deadline") server.stop_deadline_s = seconds_in(value, key, 0.1, kDay);
    if (key == "log") server.log = word(value, key);
  }
  if (server.command.empty()) {
    complain(entry.where, format("server '{}' has no 'command'", server.name));
  }
  if (server.ready.empty()) {
    complain(entry.where, format("server '{}' has no 'ready' (a URL to ask)", server.name));
  }
  return server;
}

void check_known(const Yaml& node, std::string_view what, const std::vector<std::string>& known) {
  const std::string& name = word(node, what);
  if (known.empty() || std::ranges::count(known, name) > 0) return;
  complain(node.where, format("no {} '{}'{}", what, name, suggestion(name, known)));
}

Gate read_gate(const Yaml& node, const std::vector<std::string>& workloads,
               const std::vector<std::string>& metrics) {
  check_keys(node, {"workload", "metric", "min_effect"}, "gate");
  Gate gate;
  for (const auto& [key, where, value] : node.entries) {
    if (key == "workload") {
      check_known(value, key, workloads);
      gate.workload = value.text;
    } else if (key == "metric") {
      check_known(value, key, metrics);
      gate.metric = value.text;
    } else {
      gate.min_effect = fraction_in(value, key, 0, 1);
    }
  }
  if (gate.workload.empty()) complain(node.where, "the gate names no 'workload'");
  if (gate.metric.empty()) complain(node.where, "the gate names no 'metric' (such as tpot_s)");
  return gate;
}

}  // namespace

std::vector<Server> read_servers(const Yaml& servers) {
  std::vector<Server> out;
  for (const auto& entry : map_of(servers, "servers").entries) out.push_back(read_server(entry));
  return out;
}

std::vector<Gate> read_gates(const Yaml& gates, const std::vector<Workload>& workloads,
                             const std::vector<std::string>& metrics) {
  if (gates.kind != Yaml::Kind::list) {
    complain(gates.where,
             "gates: expected a list, such as "
             "- {workload: single_stream, metric: tpot_s, min_effect: 2%}");
  }
  std::vector<std::string> names;
  names.reserve(workloads.size());
  for (const auto& workload : workloads) names.push_back(workload.name);
  std::vector<Gate> out;
  for (const auto& gate : gates.items) out.push_back(read_gate(gate, names, metrics));
  return out;
}

std::map<std::string, std::string> read_keep(const Yaml& keep) {
  check_keys(keep, {"samples", "metrics", "site"}, "keep");
  std::map<std::string, std::string> out;
  for (const auto& [key, where, value] : keep.entries) {
    out[key] = word(value, key);
    if (value.text == "forever") continue;
    if (!value.text.ends_with('d')) {
      complain(value.where, format("{}: expected days or 'forever' (write 30d)", key));
    }
    seconds_in(value, key, kDay, 36500 * kDay);
  }
  return out;
}

}  // namespace bench
