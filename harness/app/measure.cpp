#include "harness/app/measure.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <sstream>

#include "harness/app/interrupt.h"
#include "harness/app/progress.h"
#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

// What is still to be measured of one workload in one replicate. The points come in an order of
// their own in each replicate, so that a drift of the machine favours none; but the largest pools
// come first, so that they are made once and smaller ones are parts of them.
Job remaining_job(const Workload& workload, std::int64_t replicate, const Remaining& remaining) {
  Job job{.workload = workload,
          .replicate = replicate,
          .seed = remaining.seed + static_cast<std::uint64_t>(replicate)};
  for (const Point& point : workload.points) {
    if (!point.skip.empty()) continue;
    std::vector<Case> group;
    for (const std::string& variant : workload.variants) {
      const Case c = workload.case_of(point, variant);
      if (!remaining.stored.contains({workload.name, case_id(c), replicate})) group.push_back(c);
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

}  // namespace

std::int64_t Remaining::count(const Plan& plan) const {
  std::int64_t count = 0;
  for (const Workload& workload : plan.workloads) {
    for (std::int64_t r = 0; r < workload.replicates; ++r) {
      for (const auto& group : remaining_job(workload, r, *this).groups) {
        count += static_cast<std::int64_t>(group.size());
      }
    }
  }
  return count;
}

void measure(const Plan& plan, const Survey& survey, Remaining& remaining, const Keeper& keeper,
             Hosts* hosts) {
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
      events.begin = [&](const Case& c) { keeper.begin(name(c)); };
      events.requests = [&](const Case& c, const std::string& records) {
        keeper.requests({workload.name, case_id(c), replicate}, records);
      };
      events.result = [&](Measurement measurement) {
        const std::string id = case_id(measurement.what);
        measurement.negative_control = std::ranges::find(controls, id) != controls.end();
        remaining.stored.insert({workload.name, id, replicate});
        keeper.result(name(measurement.what), measurement);
      };
      measure_job(remaining_job(workload, replicate, remaining), worker_command(), events,
                  interrupted(), hosts);
    }
  }
}

void share(Remaining& remaining, Hosts& hosts) {
  if (hosts.count() == 1) return;
  std::string text = format("{}", remaining.seed);
  for (const MeasurementKey& key : remaining.stored) {
    text += format("\n{}\t{}\t{}", key.workload, key.case_id, key.replicate);
  }
  std::istringstream lines(hosts.exchange(hosts.index() == 0 ? text : std::string()).front());
  std::string line;
  std::getline(lines, line);
  remaining = {.seed = std::stoull(line), .stored = {}};
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    MeasurementKey key;
    std::getline(words, key.workload, '\t');
    std::getline(words, key.case_id, '\t');
    words >> key.replicate;
    remaining.stored.insert(std::move(key));
  }
}

Executed execute_together(Store& store, const Plan& plan, const Survey& survey,
                          const RunRequest& request, Hosts& hosts) {
  if (!plan.servers.empty()) fail_usage("servers: bench starts them in a run of one process only");
  require_fit(plan, survey);
  Session session(store, plan, survey, request);
  Remaining remaining{.seed = session.seed(), .stored = session.stored()};
  share(remaining, hosts);
  Progress progress(std::cerr, isatty(STDERR_FILENO) != 0);
  progress.expect(remaining.count(plan));
  Keeper keeper;
  keeper.begin = [&](const std::string& name) { progress.begin(name); };
  keeper.requests = [&](const MeasurementKey& key, const std::string& records) {
    session.add_requests(key, records);
  };
  keeper.result = [&](const std::string& name, const Measurement& measurement) {
    session.add(measurement);
    progress.finish(name, measurement);
  };
  measure(plan, survey, remaining, keeper, &hosts);
  const bool whole = remaining.count(plan) == 0;
  store.end(session.number(), whole ? RunStatus::complete : RunStatus::interrupted);
  return {session.number(), whole};
}

void follow(const Plan& plan, const Survey& survey, Hosts& hosts) {
  require_fit(plan, survey);
  Remaining remaining;
  share(remaining, hosts);
  measure(plan, survey, remaining, {}, &hosts);
}

}  // namespace bench
