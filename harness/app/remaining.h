#pragma once

#include <cstdint>
#include <set>

#include "results/store.h"
#include "workloads/job.h"
#include "workloads/workload.h"

namespace bench {

// What is still to be measured of a run: the same in every process of it.
struct Remaining {
  std::uint64_t seed = 0;  // of the run's id, so that a resumed run draws as the first part did
  std::set<MeasurementKey> stored = {};

  // One workload in one replicate. The points come in an order of their own in each replicate, so
  // that a drift of the machine favours none; but the largest pools come first, so that they are
  // made once and smaller ones are parts of them.
  [[nodiscard]] Job job(const Workload& workload, std::int64_t replicate) const;
  [[nodiscard]] std::int64_t count(const Plan& plan) const;  // of cases, each replicate for itself
};

}  // namespace bench
