#include "results/run.h"

#include <chrono>
#include <random>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {

std::string_view to_string(RunStatus status) {
  switch (status) {
    case RunStatus::running:
      return "running";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::complete:
      break;
  }
  return "complete";
}

RunStatus run_status_from(std::string_view text) {
  for (const auto status : {RunStatus::running, RunStatus::interrupted, RunStatus::complete}) {
    if (text == to_string(status)) return status;
  }
  fail(format("'{}' is no status of a run", text));
}

std::vector<PlannedCase> manifest(const Plan& plan) {
  std::vector<PlannedCase> cases;
  for (const auto& workload : plan.workloads) {
    for (const auto& point : workload.points) {
      for (const auto& variant : workload.variants) {
        cases.push_back({.what = workload.case_of(point, variant),
                         .workload = workload.name,
                         .axes = workload.axes,
                         .label = label(point.parameters, workload.axes),
                         .is_baseline = variant == workload.baseline,
                         .replicates = workload.replicates,
                         .skip = point.skip});
      }
    }
  }
  return cases;
}

std::string new_run_id() {
  std::random_device random;
  std::string id;
  for (int word = 0; word < 4; ++word) id += format("{:08x}", random());
  return id;
}

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace bench
