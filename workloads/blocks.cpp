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

// A URL that is itself the key to a channel must not stand in a file that is stored and shared.
void check_secret(const Yaml& node, const std::string& url) {
  if (!url.starts_with("https://hooks.")) return;
  complain(node.where,
           "webhook: this URL is a secret (write ${NAME} and set the variable, or webhook_file: "
           "the file that holds it)");
}

std::string read_body(const Yaml& node, bool webhook) {
  const std::string& body = word(node, "body");
  if (body == "text" || body == "json" || (webhook && body == "slack")) return body;
  complain(node.where, format("body: no choice '{}' (there are: text, json{})", body,
                              webhook ? ", slack" : ""));
}

Receiver read_receiver(const Yaml& node) {
  static const std::vector<std::string> kKinds{"command", "webhook", "webhook_file", "file",
                                               "mail"};
  check_keys(node, {"command", "webhook", "webhook_file", "file", "mail", "body"}, "alerts");
  Receiver receiver;
  for (const auto& [key, where, value] : node.entries) {
    if (key == "body") continue;
    if (!receiver.kind.empty()) {
      complain(where,
               format("one receiver is told by {} or by {} (write two)", receiver.kind, key));
    }
    receiver.kind = key;
    receiver.words = key == "command" ? words(value, key) : std::vector{word(value, key)};
    if (key == "webhook") check_secret(value, receiver.words.front());
  }
  if (receiver.kind.empty()) {
    complain(node.where, format("a receiver needs one of {}", join(kKinds, ", ")));
  }
  if (const auto* body = node.find("body")) {
    receiver.body = read_body(body->value, receiver.kind.starts_with("webhook"));
  } else if (receiver.kind.starts_with("webhook")) {
    receiver.body = "json";
  }
  return receiver;
}

}  // namespace

Server read_server(const YamlEntry& entry) {
  check_name(entry.key, entry.where, "server", "_-");
  check_keys(entry.value,
             {"command", "environment", "directory", "ready", "deadline", "stop_signal",
              "stop_deadline", "log", "variant"},
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
    if (key == "variant") server.variant = word(value, key);
  }
  if (server.command.empty()) {
    complain(entry.where, format("server '{}' has no 'command'", server.name));
  }
  if (server.ready.empty()) {
    complain(entry.where, format("server '{}' has no 'ready' (a URL to ask)", server.name));
  }
  return server;
}

namespace {

void check_known(const Yaml& node, std::string_view what, const std::vector<std::string>& known) {
  const std::string& name = word(node, what);
  if (known.empty() || std::ranges::count(known, name) > 0) return;
  complain(node.where, format("no {} '{}'{}", what, name, suggestion(name, known)));
}

Gate read_gate(const Yaml& node, const std::vector<Workload>& workloads,
               const std::vector<std::string>& metrics) {
  std::vector<std::string> names;
  names.reserve(workloads.size());
  for (const Workload& workload : workloads) names.push_back(workload.name);
  check_keys(node, {"workload", "metric", "min_effect", "relative_to"}, "gate");
  Gate gate;
  for (const auto& [key, where, value] : node.entries) {
    if (key == "workload") {
      check_known(value, key, names);
      gate.workload = value.text;
    } else if (key == "metric") {
      check_known(value, key, metrics);
      gate.metric = value.text;
    } else if (key == "min_effect") {
      gate.min_effect = fraction_in(value, key, 0, 1);
    } else {
      gate.relative_to = word(value, key);
    }
  }
  if (gate.workload.empty()) complain(node.where, "the gate names no 'workload'");
  if (gate.metric.empty()) complain(node.where, "the gate names no 'metric' (such as tpot_s)");
  if (const auto* control = node.find("relative_to")) {
    const auto of = std::ranges::find(workloads, gate.workload, &Workload::name);
    check_known(control->value, "variant", of->variants);
    if (of->variants.size() == 1) {
      complain(control->where, format("workload '{}' has no variant beside it", gate.workload));
    }
  }
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
  std::vector<Gate> out;
  for (const auto& gate : gates.items) out.push_back(read_gate(gate, workloads, metrics));
  return out;
}

std::vector<Receiver> read_receivers(const Yaml& alerts) {
  if (alerts.kind != Yaml::Kind::list) {
    complain(alerts.where, "alerts: expected a list, such as - {mail: team@example.org}");
  }
  std::vector<Receiver> out;
  for (const auto& receiver : alerts.items) out.push_back(read_receiver(receiver));
  return out;
}

SitePlace read_site(const Yaml& site) {
  check_keys(site, {"folder", "url"}, "site");
  SitePlace out;
  if (const auto* folder = site.find("folder")) out.folder = word(folder->value, "folder");
  if (const auto* url = site.find("url")) out.url = word(url->value, "url");
  while (out.url.ends_with('/')) out.url.pop_back();
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
