#pragma once

#include "harness/app/arguments.h"
#include "results/run.h"
#include "workloads/plan.h"

namespace bench {

// What a command's --set and --only, this build and the environment make of a configuration.
PlanOptions plan_options(const Arguments& arguments);

// The gates of a stored run's configuration; none where it was imported.
std::vector<Gate> gates_of(const RunInfo& run);

}  // namespace bench
