#include "harness/app/execute.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "harness/app/interrupt.h"
#include "harness/app/progress.h"
#include "runners/worker.h"

namespace bench {
namespace {

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

}  // namespace

std::vector<std::string> worker_command() { return {"/proc/self/exe", "worker"}; }

Executed execute(Store& store, const Plan& plan, const Survey& survey, const RunRequest& request) {
  require_fit(plan, survey);
  Session session(store, plan, survey, request);
  Progress progress(std::cerr, isatty(STDERR_FILENO) != 0);
  progress.expect(remaining_count(plan, session));
  measure(plan, survey, session, progress);
  const bool whole = remaining_count(plan, session) == 0;
  store.end(session.number(), whole ? RunStatus::complete : RunStatus::interrupted);
  return {session.number(), whole};
}

}  // namespace bench
