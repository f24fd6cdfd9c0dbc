// bench run: plan, survey, measure, store, summarise.

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <set>

#include "harness/app/agreement.h"
#include "harness/app/command.h"
#include "harness/app/dry_run.h"
#include "harness/app/exclusive.h"
#include "harness/app/execute.h"
#include "harness/app/finish.h"
#include "harness/app/measure.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/app/processes.h"
#include "harness/app/progress.h"
#include "harness/format.h"
#include "workloads/plan.h"
#include "workloads/yaml.h"

namespace bench {
namespace {

// What its runners do before the first case.
std::string survey_phase(const Plan& plan) {
  std::set<std::string> words;
  for (const Workload& workload : plan.workloads) {
    const RunnerKind* runner = Registry<RunnerKind>::find(workload.runner);
    if (runner != nullptr && !runner->survey.empty()) words.insert(runner->survey);
  }
  return words.empty() ? "looking at the plan" : format("{}", join(words, ", "));
}

void override_replicates(Plan& plan, const Arguments& arguments) {
  const auto count = arguments.count("replicates", 1, 1000);
  if (!count) return;
  for (Workload& workload : plan.workloads) workload.replicates = *count;
}

RunRequest run_request(const Arguments& arguments) {
  return {.argv = arguments.text(),
          .tag = arguments.get("tag").value_or(""),
          .notes = arguments.get("notes").value_or(""),
          .resume = arguments.has("resume")};
}

Exit run_as(const Arguments& arguments, Hosts& hosts) {
  const std::string config = find_config(*arguments.positional(0)).string();
  Plan plan = load_plan(config, plan_options(arguments));
  override_replicates(plan, arguments);
  const bool dry_run = arguments.has("dry-run");
  if (const std::size_t cases = case_count(plan); cases > kMostMeasured) {
    if (!dry_run) {
      fail_usage(format("{}: {} cases are more than the {} of one run (choose some with --only)",
                        config, cases, kMostMeasured));
    }
    std::cout << describe_size(plan);
    return Exit::ok;
  }
  agree(plan, dry_run, hosts);
  const Seconds wait = arguments.seconds("wait").value_or(Seconds(0));
  hosts.be_patient_for(hosts.patience() + wait);
  std::optional<Store> store;
  const std::string database = database_path(arguments.get("db").value_or("")).string();
  const bool leads = hosts.index() == 0;
  if (!dry_run && leads) {
    make_default_folder(arguments.get("db").value_or(""));
    when_free(wait, [&] { store.emplace(database, Access::write, arguments.text()); });
  }
  // Before the bandwidth is measured: it counts, and it disturbs.
  const std::vector<std::string> devices = devices_of(plan, worker_command(), &hosts);
  const DeviceLocks locks = when_free(wait, [&] { return DeviceLocks(devices, arguments.text()); });
  if (leads) Progress(std::cerr, isatty(STDERR_FILENO) != 0).phase(survey_phase(plan));
  const Survey surveyed = survey(plan, worker_command(), &hosts);
  if (dry_run) {
    if (leads) std::cout << describe_plan(plan, surveyed);
    require_fit(plan, surveyed);
    return Exit::ok;
  }
  if (!leads) {
    follow(plan, surveyed, hosts);
    return Exit::ok;
  }
  RunRequest request = run_request(arguments);
  request.folder = std::filesystem::absolute(database).parent_path().string();
  const Executed executed = hosts.count() > 1
                                ? execute_together(*store, plan, surveyed, request, hosts)
                                : execute(*store, plan, surveyed, request);
  return finish(*store, executed.run, plan, database);
}

Exit run(const Arguments& arguments) {
  const std::unique_ptr<Hosts> hosts = join_processes();
  return together(*hosts, [&](Hosts& all) { return run_as(arguments, all); });
}

const Register<Command> kRunCommand{{
    .name = "run",
    .summary = "measures what a configuration asks for, stores it, shows the before/after table",
    .positionals = "CONFIG",
    .flags =
        {
            {"set", "KEY=VALUE", "override a value of the file (repeatable)", true},
            {"only", "PATTERN", "only these workloads, or workload/variant (repeatable)", true},
            {"replicates", "N", "fresh worker processes a workload"},
            {"resume", "", "go on with the newest interrupted run of this configuration"},
            {"dry-run", "", "show every case, its memory and the time; measure nothing"},
            {"wait", "TIME", "for a device or database that is in use: 2h; else exit 75 at once"},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
            {"tag", "NAME", "a name for the run, for compare and show"},
            {"notes", "TEXT", "kept with the run"},
        },
    .example = "bench run configs/quickstart.yaml --set layers=1 --only single_stream",
    .run = run,
}};

}  // namespace
}  // namespace bench
