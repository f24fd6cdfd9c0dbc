#pragma once

#include <optional>

#include "results/prune.h"
#include "workloads/workload.h"

namespace bench {

// `keep:` of a configuration; what it leaves out is 30 days of raw samples, and metrics for ever.
struct Retention {
  std::optional<PruneRule> rule;  // none: everything stays
  std::optional<Seconds> site;    // pages of older runs leave the site; none: all stay
};
Retention retention_of(const Plan& plan);

}  // namespace bench
