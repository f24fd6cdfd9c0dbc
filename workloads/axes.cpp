#include "workloads/axes.h"

#include <algorithm>
#include <set>

#include "harness/format.h"
#include "workloads/keys.h"
#include "workloads/settings.h"

namespace bench {
namespace {

SweepAxis read_axis(const YamlEntry& entry, const Yaml& workload) {
  const auto& [key, where, list] = entry;
  const ParameterInfo* const info = find_parameter(key);
  if (info == nullptr) {
    complain(where, format("no parameter '{}'{}", key, key_suggestion(key, workload_keys())));
  }
  if (!info->identity) {
    complain(where,
             format("'{}' cannot be an axis: cases that differ only in it are the same", key));
  }
  if (const YamlEntry* const fixed = workload.find(key)) {
    complain(where, format("'{}' is an axis and has a value of its own{}", key,
                           fixed->where.line == 0 ? "" : format(" in line {}", fixed->where.line)));
  }
  words(list, key);  // complains of everything that is no list of scalars
  SweepAxis axis{.info = info, .where = where, .values = {}, .places = {}};
  const std::vector<Yaml> single{list};
  for (const Yaml& item : list.kind == Yaml::Kind::list ? list.items : single) {
    axis.values.push_back(read_parameter(item, *info, nullptr).value);
    axis.places.push_back(item.where);
  }
  return axis;
}

// What tells the points along a dimension apart.
std::vector<ParameterValue> coordinates(const Dimension& dimension, std::size_t at) {
  std::vector<ParameterValue> out;
  for (const SweepAxis& axis : dimension.axes) out.push_back(axis.values[at]);
  return out;
}

void check_repeats(const Dimension& dimension) {
  std::set<std::vector<ParameterValue>> seen;
  for (std::size_t at = 0; at < dimension.length(); ++at) {
    if (seen.insert(coordinates(dimension, at)).second) continue;
    std::vector<std::string> parts;
    for (const SweepAxis& axis : dimension.axes) {
      parts.push_back(format("{} {}", axis.info->name, to_text(*axis.info, axis.values[at])));
    }
    complain(dimension.axes.front().places[at], format("{} is there twice", join(parts, ", ")));
  }
}

void check_lengths(const Dimension& zip) {
  const SweepAxis& first = zip.axes.front();
  for (const SweepAxis& axis : zip.axes) {
    if (axis.values.size() == zip.length()) continue;
    complain(axis.where,
             format("'{}' has {} values and '{}' has {}: 'zip' pairs them one to one",
                    axis.info->name, axis.values.size(), first.info->name, zip.length()));
  }
}

std::vector<ParameterValue> matched_values(const YamlEntry& entry, const SweepAxis& axis) {
  words(entry.value, entry.key);
  std::vector<ParameterValue> values;
  const std::vector<Yaml> single{entry.value};
  const bool replaced = axis.places.front().line == 0;
  for (const Yaml& item : entry.value.kind == Yaml::Kind::list ? entry.value.items : single) {
    values.push_back(read_parameter(item, *axis.info, nullptr).value);
    if (replaced || std::ranges::count(axis.values, values.back()) > 0) continue;
    std::vector<std::string> known;
    for (const ParameterValue& value : axis.values) known.push_back(to_text(*axis.info, value));
    complain(item.where, format("skip: {} {} is not on the axis (there are: {})", entry.key,
                                item.text, join(known, ", ")));
  }
  return values;
}

SkipRule read_skip(const Yaml& rule, const std::vector<Dimension>& dimensions) {
  SkipRule out;
  for (const auto& entry : map_of(rule, "skip").entries) {
    if (entry.key == "reason") {
      out.reason = word(entry.value, "reason");
      continue;
    }
    const SweepAxis* const axis = find_axis(dimensions, entry.key);
    if (axis == nullptr) {
      complain(entry.where, format("skip: '{}' is no axis of this workload", entry.key));
    }
    out.matches.push_back({axis->info->name, matched_values(entry, *axis)});
  }
  if (out.reason.empty()) complain(rule.where, "skip: a rule needs a 'reason'");
  if (out.matches.empty()) complain(rule.where, "skip: a rule needs an axis, such as context: 64k");
  return out;
}

}  // namespace

std::vector<Dimension> read_axes(const Yaml& workload) {
  std::vector<Dimension> dimensions;
  for (const auto& [kind, where, axes] : workload.entries) {
    const bool sweep = kind == "sweep";
    if (!sweep && kind != "zip") continue;
    Dimension zip;
    for (const auto& entry : map_of(axes, kind).entries) {
      if (find_axis(dimensions, entry.key) != nullptr) {
        complain(entry.where, format("'{}' is an axis of both 'sweep' and 'zip'", entry.key));
      }
      SweepAxis axis = read_axis(entry, workload);
      if (sweep) {
        dimensions.push_back({{std::move(axis)}});
      } else {
        zip.axes.push_back(std::move(axis));
      }
    }
    if (!zip.axes.empty()) check_lengths(zip);
    if (!zip.axes.empty()) dimensions.push_back(std::move(zip));
  }
  for (const Dimension& dimension : dimensions) check_repeats(dimension);
  return dimensions;
}

std::vector<SkipRule> read_skips(const Yaml& workload, const std::vector<Dimension>& dimensions) {
  std::vector<SkipRule> rules;
  const YamlEntry* const skip = workload.find("skip");
  if (skip == nullptr) return rules;
  if (skip->value.kind != Yaml::Kind::list) {
    complain(skip->value.where,
             "skip: expected a list of rules, such as "
             "- {context: 64k, reason: does not fit}");
  }
  for (const Yaml& rule : skip->value.items) rules.push_back(read_skip(rule, dimensions));
  return rules;
}

std::int64_t count_points(const std::vector<Dimension>& dimensions, std::int64_t most) {
  std::int64_t points = 1;
  for (const Dimension& dimension : dimensions) {
    points *= static_cast<std::int64_t>(dimension.length());
    if (points > most) return most + 1;
  }
  return points;
}

const SweepAxis* find_axis(const std::vector<Dimension>& dimensions, std::string_view name) {
  for (const Dimension& dimension : dimensions) {
    for (const SweepAxis& axis : dimension.axes) {
      if (axis.info->name == name) return &axis;
    }
  }
  return nullptr;
}

}  // namespace bench
