#include "harness/app/remaining.h"

#include <algorithm>
#include <random>

namespace bench {

Job Remaining::job(const Workload& workload, std::int64_t replicate) const {
  Job job{.workload = workload,
          .replicate = replicate,
          .seed = seed + static_cast<std::uint64_t>(replicate)};
  for (const Point& point : workload.points) {
    if (!point.skip.empty()) continue;
    std::vector<Case> group;
    for (const std::string& variant : workload.variants) {
      const Case c = workload.case_of(point, variant);
      if (!stored.contains({workload.name, case_id(c), replicate})) group.push_back(c);
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

std::int64_t Remaining::count(const Plan& plan) const {
  std::int64_t count = 0;
  for (const Workload& workload : plan.workloads) {
    for (std::int64_t r = 0; r < workload.replicates; ++r) {
      for (const auto& group : job(workload, r).groups) {
        count += static_cast<std::int64_t>(group.size());
      }
    }
  }
  return count;
}

}  // namespace bench
