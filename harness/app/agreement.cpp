#include "harness/app/agreement.h"

#include <functional>
#include <string>

#include "harness/error.h"
#include "harness/format.h"
#include "results/environment.h"

namespace bench {
namespace {

std::string own_build() {
  std::string text;
  for (const Fact& fact : host_facts()) {
    if (fact.name == "bench_version" || fact.name == "bench_commit") text += " " + fact.value;
  }
  return "bench" + text;
}

std::string what_is_measured(const Workload& workload) {
  const Sampling& sampling = workload.sampling;
  std::string text = format("{} {} {} {} {} {} {} {} {} {}\n", workload.name, workload.runner,
                            workload.baseline, workload.replicates, workload.deadline_s,
                            sampling.relative_error, sampling.min_samples, sampling.max_samples,
                            sampling.max_time.count(), sampling.max_warm_up.count());
  for (const Point& point : workload.points) {
    for (const std::string& variant : workload.variants) {
      text += format("{}{}\n", point.skip.empty() ? "" : "skip ",
                     case_id(workload.case_of(point, variant)));
    }
  }
  return text;
}

}  // namespace

void agree(const Plan& plan, bool dry_run, Hosts& hosts) {
  if (hosts.count() == 1) return;
  const std::vector<std::string> builds = hosts.exchange(own_build());
  for (std::size_t i = 1; i < builds.size(); ++i) {
    if (builds[i] == builds[0]) continue;
    fail_usage(format("process {} is {}, process 0 is {}: one build is needed on all hosts", i,
                      builds[i], builds[0]));
  }
  std::string mine = dry_run ? "dry run\n" : "";
  for (const Workload& workload : plan.workloads) mine += what_is_measured(workload);
  // Equal builds hash alike.
  const std::vector<std::string> plans =
      hosts.exchange(format("{}", std::hash<std::string>{}(mine)));
  for (std::size_t i = 1; i < plans.size(); ++i) {
    if (plans[i] == plans[0]) continue;
    fail_usage(
        format("{}: process {} would measure something else than process 0: its file, its options "
               "or its variables differ",
               plan.path, i));
  }
}

}  // namespace bench
