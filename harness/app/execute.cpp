#include "harness/app/execute.h"

#include <unistd.h>

#include <iostream>

#include "harness/app/measure.h"
#include "harness/app/progress.h"

namespace bench {

std::vector<std::string> worker_command() { return {"/proc/self/exe", "worker"}; }

Executed execute(Store& store, const Plan& plan, const Survey& survey, const RunRequest& request,
                 Hosts* hosts) {
  require_fit(plan, survey);
  Session session(store, plan, survey, request);
  Remaining remaining{.seed = session.seed(), .stored = session.stored()};
  if (hosts != nullptr) share(remaining, *hosts);
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
  measure(plan, survey, remaining, keeper, hosts);
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
