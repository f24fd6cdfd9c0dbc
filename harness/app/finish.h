#pragma once

#include <string>

#include "harness/error.h"
#include "results/store.h"
#include "workloads/workload.h"

namespace bench {

// The end of a run: prints the before/after table, writes the report beside the database, says
// what to type next, and judges: Exit::unjudged when a case failed, a negative control came out
// correct, or the run was interrupted.
Exit finish(Store& store, std::int64_t run, const Plan& plan, const std::string& database);

}  // namespace bench
