// bench run: plan, survey, measure, store, summarise.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>

#include "harness/app/command.h"
#include "harness/app/dry_run.h"
#include "harness/app/finish.h"
#include "harness/app/interrupt.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/app/progress.h"
#include "harness/app/session.h"
#include "harness/app/survey.h"
#include "harness/format.h"
#include "runners/worker.h"
#include "workloads/plan.h"
#include "workloads/yaml.h"

namespace bench {
namespace {

// The very program that runs, even when a build has put another in its place meanwhile.
std::vector<std::string> worker_command() { return {"/proc/self/exe", "worker"}; }

// What is still to be measured of one workload in one replicate. The points come in an order of
// their own in each replicate, so that a drift of the machine favours none; but the largest pools
// come first, so that they are made once and smaller ones are parts of them.
Job remaining_job(const Workload& workload, std::int64_t replicate, const Session& session) {
  Job job{.workload = workload,
          .replicate = replicate,
          .seed = session.seed() + static_cast<std::uint64_t>(replicate)};
  for (const Point& point : workload.points) {
    if (!point.skip.empty()) continue;
    std::vector<Case> group;
    for (const std::string& variant : workload.variants) {
      const Case c = workload.case_of(point, variant);
      if (!session.has({workload.name, case_id(c), replicate})) group.push_back(c);
    }
    if (!group.empty()) job.groups.push_back(std::move(group));
  }
  std::mt19937_64 random(job.seed);
  std::ranges::shuffle(job.groups, random);
  const auto largest = std::ranges::max_element(job.groups, {}, [](const std::vector<Case>& group) {
    return group.front().parameters.pool_tokens;
  });
  if (largest != job.groups.end()) std::iter_swap(job.groups.begin(), largest);
  return job;
}

std::int64_t remaining_count(const Plan& plan, const Session& session) {
  std::int64_t count = 0;
  for (const Workload& workload : plan.workloads) {
    for (std::int64_t r = 0; r < workload.replicates; ++r) {
      for (const auto& group : remaining_job(workload, r, session).groups) {
        count += static_cast<std::int64_t>(group.size());
      }
    }
  }
  return count;
}

void measure(const Plan& plan, const Survey& survey, Session& session, Progress& progress) {
  const std::vector<std::string> controls = negative_controls(survey);
  std::int64_t most = 0;
  for (const Workload& workload : plan.workloads) most = std::max(most, workload.replicates);
  for (std::int64_t replicate = 0; replicate < most; ++replicate) {
    for (const Workload& workload : plan.workloads) {
      if (replicate >= workload.replicates || interrupted()) continue;
      const auto name = [&](const Case& c) {
        return describe(workload.name, label(c.parameters, workload.axes), c.variant);
      };
      WorkerEvents events;
      events.begin = [&](const Case& c) { progress.begin(name(c)); };
      events.requests = [&](const Case& c, const std::string& records) {
        session.add_requests({workload.name, case_id(c), replicate}, records);
      };
      events.result = [&](Measurement measurement) {
        const std::string id = case_id(measurement.what);
        measurement.negative_control = std::ranges::find(controls, id) != controls.end();
        session.add(measurement);
        progress.finish(name(measurement.what), measurement);
      };
      measure_job(remaining_job(workload, replicate, session), worker_command(), events,
                  interrupted());
    }
  }
}

void override_replicates(Plan& plan, const Arguments& arguments) {
  const auto text = arguments.get("replicates");
  if (!text) return;
  const std::int64_t count =
      located({.source = "--replicates"}, [&] { return parse_count(*text); });
  if (count < 1 || count > 1000) fail_usage("--replicates: write a count from 1 to 1000");
  for (Workload& workload : plan.workloads) workload.replicates = count;
}

RunRequest request_of(const Arguments& arguments) {
  return {.argv = arguments.text(),
          .tag = arguments.get("tag").value_or(""),
          .notes = arguments.get("notes").value_or(""),
          .resume = arguments.has("resume")};
}

Exit run(const Arguments& arguments) {
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
  // Before the bandwidth is measured: another run may be measuring under this lock.
  std::optional<Store> store;
  const std::string database = database_path(arguments.get("db").value_or("")).string();
  if (!dry_run) {
    make_default_folder(arguments.get("db").value_or(""));
    store.emplace(database, Access::write, arguments.text());
  }
  Progress progress(std::cerr, isatty(STDERR_FILENO) != 0);
  progress.phase("measuring the copy bandwidth");
  const Survey surveyed = survey(plan, worker_command());
  if (dry_run) std::cout << describe_plan(plan, surveyed);
  require_fit(plan, surveyed);
  if (dry_run) return Exit::ok;

  Session session(*store, plan, surveyed, request_of(arguments));
  progress.expect(remaining_count(plan, session));
  measure(plan, surveyed, session, progress);
  const bool whole = remaining_count(plan, session) == 0;
  store->end(session.number(), whole ? RunStatus::complete : RunStatus::interrupted);
  return finish(*store, session.number(), plan, database);
}

const Register<Command> kRegistered{{
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
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
            {"tag", "NAME", "a name for the run, for compare and show"},
            {"notes", "TEXT", "kept with the run"},
        },
    .example = "bench run configs/quickstart.yaml --set layers=1 --only single_stream",
    .run = run,
}};

}  // namespace
}  // namespace bench
