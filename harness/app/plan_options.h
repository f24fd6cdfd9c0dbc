#pragma once

#include "harness/app/arguments.h"
#include "results/run.h"
#include "workloads/plan.h"

namespace bench {

// What a command's --set and --only, this build and the environment make of a configuration.
PlanOptions plan_options(const Arguments& arguments);

// A stored run's configuration, whole, whatever --only left of it; empty where it was imported.
Plan configuration_of(const RunInfo& run);

// Its gates.
std::vector<Gate> gates_of(const RunInfo& run);

}  // namespace bench
