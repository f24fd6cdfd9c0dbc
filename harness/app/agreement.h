#pragma once

#include "harness/hosts.h"
#include "workloads/workload.h"

namespace bench {

// Throws Error (exit 2), the same in all processes of a run, when they are of different builds or
// would not measure the same: their meetings would never match.
void agree(const Plan& plan, bool dry_run, Hosts& hosts);

}  // namespace bench
