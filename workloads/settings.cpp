#include "workloads/settings.h"

#include <algorithm>
#include <utility>

#include "harness/format.h"
#include "workloads/keys.h"

namespace bench {
namespace {

constexpr double kWeek = 7 * 86400;
constexpr std::string_view kNameLetters = "_-.";
constexpr std::string_view kVariantLetters = "_-./";

using Reader = void (*)(const Yaml&, Settings&);

void read_runner(const Yaml& node, Settings& settings) {
  settings.runner = word(node, "runner");
  settings.runner_where = node.where;
  check_name(settings.runner, node.where, "runner", kNameLetters);
}

void read_variants(const Yaml& node, Settings& settings) {
  settings.variants = words(node, "variants");
  settings.variants_where = node.where;
  for (std::size_t i = 0; i < settings.variants.size(); ++i) {
    const std::string& name = settings.variants[i];
    const Where& where = node.items.empty() ? node.where : node.items[i].where;
    check_name(name, where, "variant", kVariantLetters);
    if (std::ranges::count(settings.variants, name) > 1) {
      complain(where, format("variant '{}' is there twice", name));
    }
  }
}

void read_baseline(const Yaml& node, Settings& settings) {
  settings.baseline = word(node, "baseline");
  settings.baseline_where = node.where;
}

void read_replicates(const Yaml& node, Settings& settings) {
  settings.replicates = count_in(node, "replicates", 1, 1000);
}

void read_deadline(const Yaml& node, Settings& settings) {
  settings.deadline_s = seconds_in(node, "deadline", 1e-3, kWeek);
}

void read_sampling(const Yaml& node, Settings& settings) {
  check_keys(node, {"min_samples", "max_samples", "relative_error", "max_time", "max_warm_up"},
             "sampling");
  Sampling& sampling = settings.sampling;
  for (const auto& [key, where, value] : node.entries) {
    if (key == "min_samples") sampling.min_samples = count_in(value, key, 1, 1'000'000);
    if (key == "max_samples") sampling.max_samples = count_in(value, key, 1, 1'000'000);
    if (key == "relative_error") sampling.relative_error = fraction_in(value, key, 0, 1);
    if (key == "max_time") sampling.max_time = Seconds(seconds_in(value, key, 1e-6, kWeek));
    if (key == "max_warm_up") sampling.max_warm_up = Seconds(seconds_in(value, key, 0, kWeek));
  }
  if (sampling.min_samples > sampling.max_samples) {
    complain(node.where, format("min_samples {} is more than max_samples {}", sampling.min_samples,
                                sampling.max_samples));
  }
}

constexpr std::pair<std::string_view, Reader> kReaders[] = {
    {"runner", read_runner},         {"variants", read_variants}, {"baseline", read_baseline},
    {"replicates", read_replicates}, {"sampling", read_sampling}, {"deadline", read_deadline},
};
constexpr std::string_view kAxisKeys[] = {"sweep", "zip", "skip"};

}  // namespace

std::vector<std::string> plan_keys() {
  return {"name",    "model", "defaults", "workloads", "server",
          "servers", "gates", "keep",     "alerts",    "site"};
}

std::vector<std::string> workload_keys() {
  std::vector<std::string> keys;
  for (const auto& reader : kReaders) keys.emplace_back(reader.first);
  for (const auto& key : kAxisKeys) keys.emplace_back(key);
  for (const auto& info : parameter_table()) keys.emplace_back(info.name);
  return keys;
}

Assignment read_parameter(const Yaml& node, const ParameterInfo& info,
                          const Environment& environment) {
  Assignment out{.value = {}, .where = node.where, .unset = {}};
  const bool list = info.list && node.kind == Yaml::Kind::list;
  std::string text =
      list ? format("[{}]", join(words(node, info.name), ",")) : word(node, info.name);
  if (has_variables(text)) {
    if (info.kind != ParameterKind::text || info.identity) {
      complain(node.where, format("{}: variables are for endpoints and files; a case must be the "
                                  "same on every machine (use --set {}=...)",
                                  info.name, info.name));
    }
    Expanded expanded = located(node.where, [&] { return expand_variables(text, environment); });
    text = std::move(expanded.text);
    out.unset = std::move(expanded.unset);
    if (!out.unset.empty()) return out;
  }
  out.value = located(node.where, [&] {
    Parameters scratch;
    set_from_text(scratch, info, text);
    return info.get(scratch);
  });
  return out;
}

void read_settings(const Yaml& map, bool axes_allowed, const Environment& environment,
                   Settings& settings) {
  for (const auto& [key, where, value] : map.entries) {
    const auto reader = std::ranges::find(kReaders, std::string_view(key),
                                          [](const auto& known) { return known.first; });
    const bool is_axis_key = std::ranges::count(kAxisKeys, std::string_view(key)) > 0;
    if (reader != std::end(kReaders)) {
      reader->second(value, settings);
    } else if (const ParameterInfo* const info = find_parameter(key)) {
      settings.parameters[info->name] = read_parameter(value, *info, environment);
    } else if (is_axis_key && !axes_allowed) {
      complain(where, format("'{}' belongs to a workload (not to 'defaults')", key));
    } else if (!is_axis_key) {
      complain(where, format("unknown key '{}'{}", key, key_suggestion(key, workload_keys())));
    }
  }
}

}  // namespace bench
