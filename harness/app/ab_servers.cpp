#include "harness/app/ab_servers.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "dashboards/row_text.h"
#include "harness/app/comparison_output.h"
#include "harness/app/exclusive.h"
#include "harness/app/execute.h"
#include "harness/app/metric_flag.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/format.h"
#include "harness/statistics.h"
#include "results/query.h"
#include "workloads/plan.h"

namespace bench {
namespace {

constexpr const char* kEither = "server";  // what both are called when they are compared

Plan plan_of(const Arguments& arguments) {
  Plan plan = load_plan(find_config(*arguments.positional(0)).string(), plan_options(arguments));
  if (plan.servers.size() != 2) {
    fail_usage(
        format("bench ab: {} has {} servers, two are compared (servers: {{before: ..., "
               "after: ...}})",
               plan.path, plan.servers.size()));
  }
  const std::int64_t starts = arguments.count("pairs", 1, 1000).value_or(8);
  bool any = false;
  for (Workload& workload : plan.workloads) {
    if (workload.runner != "http") continue;
    any = true;
    workload.replicates = starts;
    workload.baseline = plan.servers.front().name;
    if (std::ranges::count(workload.variants, plan.servers.back().name) == 0) {
      fail_usage(format("bench ab: workload '{}' does not measure server '{}'", workload.name,
                        plan.servers.back().name));
    }
  }
  if (!any) fail_usage(format("bench ab: {} has no workload of runner http", plan.path));
  return plan;
}

// What one server showed, as a run of its own; starts that failed are left out and told.
RunRecord side_of(const RunRecord& run, const Server& server, std::vector<std::string>& lost) {
  RunRecord side;
  side.info = run.info;
  side.environment = run.environment;
  std::erase_if(side.environment,
                [](const Fact& fact) { return fact.name.starts_with("server."); });
  for (const Measurement& m : run.measurements) {
    if (m.what.runner != "http" || m.what.variant != server.name) continue;
    if (m.status == Status::ok) {
      side.measurements.push_back(m);
      side.measurements.back().what.variant = kEither;
    } else {
      lost.push_back(format("{}, start {} of '{}' is lost: {}: {}", m.workload, m.replicate + 1,
                            server.name, to_string(m.status), m.reason));
    }
  }
  for (PlannedCase planned : run.plan) {
    if (planned.what.runner != "http" || planned.what.variant != server.name) continue;
    planned.what.variant = kEither;
    planned.replicates = std::ranges::count_if(side.measurements, [&](const Measurement& m) {
      return m.workload == planned.workload && case_id(m.what) == case_id(planned.what);
    });
    side.plan.push_back(std::move(planned));
  }
  return side;
}

// The step of a kernel variant at the same load, as this run measured it.
std::optional<double> kernel_step(const RunRecord& run, const std::string& variant,
                                  const Case& at) {
  std::vector<double> steps;
  for (const Measurement& m : run.measurements) {
    const bool same = m.what.runner != "http" && m.what.variant == variant &&
                      m.what.parameters.context == at.parameters.context &&
                      m.what.parameters.concurrency == at.parameters.concurrency;
    if (same && m.status == Status::ok && m.metric("tpot_s")) steps.push_back(*m.metric("tpot_s"));
  }
  if (steps.empty()) return std::nullopt;
  return median(steps);
}

std::string milliseconds(double seconds) { return format("{:+.3f} ms", seconds * 1e3); }

// TPOT at each load, before and after, with what the kernels alone predict of it.
void print_table(const Plan& plan, const RunRecord& run, const Comparison& comparison) {
  const Server& before = plan.servers.front();
  const Server& after = plan.servers.back();
  std::cout << format("\n{:<28}  {:>10}  {:>10}  {:>9}  {:>17}  {:>12}  {:>12}  {}\n",
                      "live TPOT, ms", before.name, after.name, "change", "95 %", "predicted",
                      "achieved", "verdict");
  for (const Row& row : comparison.rows) {
    if (row.metric != "tpot_s") continue;
    const RowText text = row_text(row);
    std::string predicted = "-";
    const auto slow = kernel_step(run, before.variant, row.what);
    const auto fast = kernel_step(run, after.variant, row.what);
    if (slow && fast) predicted = milliseconds(*fast - *slow);
    const std::string achieved =
        row.evidence ? milliseconds(row.evidence->candidate - row.evidence->baseline) : "-";
    std::cout << format("{:<28}  {:>10}  {:>10}  {:>9}  {:>17}  {:>12}  {:>12}  {}\n",
                        row.workload + (row.label.empty() ? "" : ", " + row.label), text.before,
                        text.after, text.change, text.interval, predicted, achieved,
                        to_string(row.verdict.word));
  }
}

}  // namespace

Exit compare_servers(const Arguments& arguments) {
  const Plan plan = plan_of(arguments);
  CompareOptions options{.min_effect = arguments.fraction("min-effect")};
  const std::string metric = arguments.get("metric").value_or("tpot_s");
  metric_of_flag(metric);
  options.asked = {{"", metric, options.min_effect}};
  const Seconds wait = arguments.seconds("wait").value_or(Seconds(0));
  const std::string database = database_path(arguments.get("db").value_or("")).string();
  make_default_folder(arguments.get("db").value_or(""));
  std::optional<Store> store;
  when_free(wait, [&] { store.emplace(database, Access::write, arguments.text()); });
  const std::vector<std::string> devices = devices_of(plan, worker_command());
  const DeviceLocks locks = when_free(wait, [&] { return DeviceLocks(devices, arguments.text()); });
  const Survey surveyed = survey(plan, worker_command());
  const Executed executed =
      execute(*store, plan, surveyed,
              {.argv = arguments.text(),
               .tag = "ab",
               .resume = arguments.has("resume"),
               .folder = std::filesystem::absolute(database).parent_path().string()});
  if (!executed.whole) fail(format("interrupted: {} --resume goes on", arguments.text()));
  const RunRecord run = load_run(*store, executed.run, LoadSamples::no);
  std::vector<std::string> lost;
  const RunRecord before = side_of(run, plan.servers.front(), lost);
  const RunRecord after = side_of(run, plan.servers.back(), lost);
  const Comparison comparison = compare(before, after, options);
  write_comparison(comparison, arguments, arguments.has("strict"));
  if (arguments.get("format").value_or("text") == "text" && !arguments.get("output")) {
    print_table(plan, run, comparison);
  }
  for (const std::string& line : lost) std::cerr << line << '\n';
  return comparison.exit(arguments.has("strict"));
}

}  // namespace bench
