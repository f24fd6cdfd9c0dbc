#include "workloads/overrides.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "harness/format.h"
#include "workloads/keys.h"
#include "workloads/parameters.h"
#include "workloads/settings.h"
#include "workloads/utf8.h"

namespace bench {
namespace {

using Path = std::span<const std::string>;

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Yaml& entry_of(Yaml& map, const std::string& key, const Where& where) {
  if (map.kind == Yaml::Kind::null) map.kind = Yaml::Kind::map;
  if (map.kind != Yaml::Kind::map)
    complain(where, format("'{}' cannot be set here: there is no map", key));
  if (YamlEntry* known = map.find(key)) return known->value;
  map.entries.push_back({.key = key, .where = where, .value = {}});
  map.entries.back().value.where = where;
  return map.entries.back().value;
}

void remove(Yaml& map, std::string_view key) {
  std::erase_if(map.entries, [&](const YamlEntry& entry) { return entry.key == key; });
}

bool has_axis(Yaml& workload, std::string_view kind, const std::string& key) {
  YamlEntry* const axes = workload.find(kind);
  return axes != nullptr && axes->value.find(key) != nullptr;
}

// `gpus=[1]` is GPU 1, and no axis of counts, where there is none to replace.
bool is_one_value(Yaml& workload, const std::string& key, const Yaml& value) {
  return value.kind != Yaml::Kind::list || (key == "gpus" && !has_axis(workload, "sweep", key));
}

void set_parameter(Yaml& workload, const std::string& key, const Yaml& value) {
  if (has_axis(workload, "zip", key)) {
    if (value.kind != Yaml::Kind::list) {
      complain(value.where,
               format("'{}' is paired with other axes under 'zip' (give a list)", key));
    }
    entry_of(workload, "zip", value.where).find(key)->value = value;
  } else if (!is_one_value(workload, key, value)) {
    remove(workload, key);
    entry_of(entry_of(workload, "sweep", value.where), key, value.where) = value;
  } else if (has_axis(workload, "sweep", key)) {
    Yaml& axis = entry_of(workload, "sweep", value.where).find(key)->value;
    axis = Yaml{};
    axis.kind = Yaml::Kind::list;
    axis.where = value.where;
    axis.items = {value};
  } else {
    entry_of(workload, key, value.where) = value;
  }
}

void set_in_workload(Yaml& workload, Path path, const Yaml& value) {
  if (path.size() == 1 && find_parameter(path[0]) != nullptr) {
    set_parameter(workload, path[0], value);
    return;
  }
  Yaml* node = &workload;
  for (const std::string& key : path) node = &entry_of(*node, key, value.where);
  *node = value;
}

void set_in_all(Yaml& workloads, Path path, const Yaml& value) {
  for (auto& workload : workloads.entries) {
    const bool readable = workload.value.kind == Yaml::Kind::map;
    if (readable) set_in_workload(workload.value, path, value);
  }
}

[[noreturn]] void complain_of_key(const std::string& key, const Yaml& workloads,
                                  const Where& where) {
  std::vector<std::string> known = workload_keys();
  for (const auto& workload : workloads.entries) known.push_back(workload.key);
  complain(where,
           format("no parameter, setting or workload '{}'{}", key, key_suggestion(key, known)));
}

}  // namespace

void apply_override(Yaml& document, const std::string& setting) {
  const Where where{"--set " + setting, 0, 0};
  check_text(setting, "--set");
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    complain(where, "expected key=value, such as context=8k");
  }
  std::vector<std::string> path = split(setting.substr(0, equals));
  if (path.size() > 1 && path[0] == "workloads") path.erase(path.begin());
  const Yaml value = read_yaml_value(std::string_view(setting).substr(equals + 1), where);
  YamlEntry* const all = document.find("workloads");
  if (all == nullptr) return;  // the reader complains of that
  Yaml& workloads = all->value;
  YamlEntry* const workload = workloads.find(path[0]);
  if (path.size() > 1 && workload != nullptr) {
    set_in_workload(workload->value, Path(path).subspan(1), value);
  } else if (std::ranges::count(workload_keys(), path[0]) > 0) {
    set_in_all(workloads, path, value);
  } else if (std::ranges::count(plan_keys(), path[0]) > 0) {
    Yaml* node = &document;
    for (const std::string& key : path) node = &entry_of(*node, key, where);
    *node = value;
  } else {
    complain_of_key(path[0], workloads, where);
  }
}

}  // namespace bench
