#include "workloads/plan.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "harness/format.h"
#include "harness/suggest.h"
#include "workloads/blocks.h"
#include "workloads/expand.h"
#include "workloads/keys.h"
#include "workloads/overrides.h"
#include "workloads/select.h"

namespace bench {
namespace {

// A variable that a workload waits for.
struct Waiting {
  std::string workload;
  std::string parameter;
  std::string variable;
  Where where;
};

class PlanReader {
 public:
  PlanReader(const Yaml& document, const std::string& path, const PlanOptions& options)
      : document_(document),
        options_(options),
        models_(options.model_folders, std::filesystem::path(path).parent_path().string()) {
    plan_.path = path;
  }

  Plan read() {
    check_top_level();
    read_defaults();
    read_server_blocks();
    read_workloads();
    select(plan_.workloads, options_.only);
    std::erase_if(plan_.gates, [&](const Gate& gate) { return !is_left(gate.workload); });
    check_waiting();
    if (const auto* alerts = document_.find("alerts"))
      plan_.receivers = read_receivers(alerts->value);
    if (const auto* site = document_.find("site")) plan_.site = read_site(site->value);
    if (const auto* keep = document_.find("keep")) plan_.keep = read_keep(keep->value);
    return std::move(plan_);
  }

 private:
  void check_top_level() {
    for (const auto& entry : document_.entries) {
      const auto known = plan_keys(), inner = workload_keys();
      if (std::ranges::count(known, entry.key) > 0) continue;
      if (std::ranges::count(inner, entry.key) == 0) continue;
      complain(entry.where, format("'{}' belongs under 'defaults:' or in a workload", entry.key));
    }
    check_keys(document_, plan_keys(), "the file");
    plan_.name = std::filesystem::path(plan_.path).stem().string();
    if (const auto* name = document_.find("name")) {
      plan_.name = word(name->value, "name");
      check_name(plan_.name, name->value.where, "name", "_-.");
    }
  }

  void read_defaults() {
    if (const auto* model = document_.find("model")) {
      const ParameterInfo& info = *find_parameter("model");
      defaults_.parameters[info.name] = read_parameter(model->value, info, options_.environment);
    }
    if (const auto* defaults = document_.find("defaults")) {
      read_settings(map_of(defaults->value, "defaults"), false, options_.environment, defaults_);
    }
  }

  void read_server_blocks() {
    const auto* one = document_.find("server");
    const auto* several = document_.find("servers");
    if (one != nullptr && several != nullptr) {
      complain(several->where, "servers: there is a 'server:' already (write it as one of these)");
    }
    if (one != nullptr) plan_.servers = {read_server(*one)};
    if (several != nullptr) plan_.servers = read_servers(several->value);
  }

  void read_workloads() {
    const auto* workloads = document_.find("workloads");
    if (workloads == nullptr) complain({plan_.path, 1, 1}, "there are no 'workloads:'");
    for (const auto& entry : map_of(workloads->value, "workloads").entries) read_workload(entry);
    if (plan_.workloads.empty()) complain(workloads->where, "'workloads:' is empty");
    if (const auto* gates = document_.find("gates")) {
      plan_.gates = read_gates(gates->value, plan_.workloads, options_.metrics);
    }
  }

  void read_workload(const YamlEntry& entry) {
    check_name(entry.key, entry.where, "workload", "_-");
    Settings settings = defaults_;
    read_settings(map_of(entry.value, format("workload '{}'", entry.key)), true,
                  options_.environment, settings);
    check_runner(settings, entry);
    complete_variants(settings, entry);
    check_source(settings);
    const auto dimensions = read_axes(entry.value);
    const auto skips = read_skips(entry.value, dimensions);
    check_size(settings, dimensions, entry);

    Workload workload{.name = entry.key,
                      .runner = settings.runner,
                      .variants = settings.variants,
                      .baseline = settings.baseline,
                      .axes = {},
                      .points = expand(settings, dimensions, skips, entry.where, models_),
                      .replicates = settings.replicates,
                      .sampling = settings.sampling,
                      .deadline_s = settings.deadline_s};
    for (const Dimension& dimension : dimensions) {
      for (const SweepAxis& axis : dimension.axes) workload.axes.emplace_back(axis.info->name);
    }
    plan_.workloads.push_back(std::move(workload));
    for (const auto& [parameter, assignment] : settings.parameters) {
      if (assignment.unset.empty()) continue;
      waiting_.push_back({entry.key, std::string(parameter), assignment.unset, assignment.where});
    }
  }

  void check_runner(const Settings& settings, const YamlEntry& entry) const {
    if (settings.runner.empty()) {
      complain(entry.where,
               format("workload '{}' has no 'runner' (such as kernel or http)", entry.key));
    }
    const auto& known = options_.runners;
    if (known.empty() || std::ranges::count(known, settings.runner) > 0) return;
    complain(settings.runner_where, format("no runner '{}' in this build (there are: {})",
                                           settings.runner, join(known, ", ")));
  }

  // A live server is one variant, as it stands; those that bench starts are variants by their
  // names.
  void complete_variants(Settings& settings, const YamlEntry& entry) const {
    const bool started = settings.runner == "http" && !plan_.servers.empty() &&
                         !settings.parameters.contains("endpoint");
    if (started) {
      const ParameterInfo& endpoint = *find_parameter("endpoint");
      settings.parameters[endpoint.name] = {.value = plan_.servers.front().endpoint()};
      for (const Server& server : plan_.servers) {
        if (settings.variants_where.line == 0) settings.variants.push_back(server.name);
      }
    }
    if (settings.variants.empty() && settings.parameters.contains("endpoint")) {
      settings.variants = {"server"};
    }
    if (settings.variants.empty()) {
      complain(entry.where, format("workload '{}' has no 'variants'", entry.key));
    }
    if (settings.baseline.empty()) settings.baseline = settings.variants.front();
    if (std::ranges::count(settings.variants, settings.baseline) > 0) return;
    complain(settings.baseline_where,
             format("baseline '{}' is none of the variants of '{}'{}", settings.baseline, entry.key,
                    suggestion(settings.baseline, settings.variants)));
  }

  static void check_source(const Settings& settings) {
    const auto rest = settings.parameters.find("rest_of_step_ms");
    if (rest == settings.parameters.end() || settings.parameters.contains("rest_of_step_source"))
      return;
    complain(rest->second.where,
             "rest_of_step_ms needs a rest_of_step_source: where the figure comes from");
  }

  void check_size(const Settings& settings, const std::vector<Dimension>& dimensions,
                  const YamlEntry& entry) {
    const auto variants = static_cast<std::int64_t>(settings.variants.size());
    cases_ += count_points(dimensions, kMostCases) * variants;
    if (cases_ <= kMostCases) return;
    complain(entry.where,
             format("with workload '{}' there are more than {} cases in one file (drop "
                    "axis values, or split the file)",
                    entry.key, kMostCases));
  }

  // After --only: a workload that waits for a variable is passed over, but not one that was asked
  // for, and not when there is nothing else to do.
  void check_waiting() const {
    if (options_.measured) return;
    for (const Waiting& waiting : waiting_) {
      if (is_left(waiting.workload) && asked_by_name(waiting.workload, options_.only)) {
        complain_of(waiting);
      }
    }
    const auto waits = [&](const Workload& workload) {
      return std::ranges::count(waiting_, workload.name, &Waiting::workload) > 0;
    };
    if (!std::ranges::all_of(plan_.workloads, waits)) return;
    complain_of(*std::ranges::find(waiting_, plan_.workloads.front().name, &Waiting::workload));
  }

  [[nodiscard]] bool is_left(const std::string& workload) const {
    return std::ranges::count(plan_.workloads, workload, &Workload::name) > 0;
  }

  [[noreturn]] static void complain_of(const Waiting& waiting) {
    complain(waiting.where,
             format("environment variable {} is not set (export {}=..., or --set {}.{}=...)",
                    waiting.variable, waiting.variable, waiting.workload, waiting.parameter));
  }

  const Yaml& document_;
  const PlanOptions& options_;
  Models models_;
  Settings defaults_;
  std::int64_t cases_ = 0;
  std::vector<Waiting> waiting_;
  Plan plan_;
};

}  // namespace

Plan parse_plan(const std::string& text, const std::string& path, const PlanOptions& options) {
  Yaml document = read_yaml(text, path);
  for (const std::string& setting : options.set) apply_override(document, setting);
  Plan plan = PlanReader(document, path, options).read();
  plan.source = options.set.empty() ? text : write_yaml(document);
  return plan;
}

Plan load_plan(const std::string& path, const PlanOptions& options) {
  return parse_plan(read_text_file(path), path, options);
}

}  // namespace bench
