#include "harness/app/plan_options.h"

#include <cstdlib>

#include "harness/app/paths.h"
#include "harness/registry.h"
#include "results/result.h"
#include "runners/runner.h"

namespace bench {

namespace {

PlanOptions of_this_build() {
  PlanOptions options;
  options.model_folders = model_folders();
  options.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
  for (const RunnerKind& kind : Registry<RunnerKind>::all()) options.runners.push_back(kind.name);
  for (const MetricInfo& metric : metric_table()) options.metrics.emplace_back(metric.name);
  return options;
}

}  // namespace

PlanOptions plan_options(const Arguments& arguments) {
  PlanOptions options = of_this_build();
  options.set = arguments.all("set");
  options.only = arguments.all("only");
  return options;
}

Plan configuration_of(const RunInfo& run) {
  if (run.plan_source.empty()) return {};
  PlanOptions options = of_this_build();
  options.measured = true;
  return parse_plan(run.plan_source, run.name, options);
}

std::vector<Gate> gates_of(const RunInfo& run) { return configuration_of(run).gates; }

}  // namespace bench
