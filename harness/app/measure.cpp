#include "harness/app/measure.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "harness/app/interrupt.h"
#include "harness/app/progress.h"
#include "harness/error.h"
#include "harness/format.h"

namespace bench {

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
      measure_job(remaining.job(workload, replicate), worker_command(), events, interrupted(),
                  hosts);
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
  Remaining remaining = session.remaining();
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
