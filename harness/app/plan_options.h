#pragma once

#include "harness/app/arguments.h"
#include "workloads/plan.h"

namespace bench {

// What a command's --set and --only, this build and the environment make of a configuration.
PlanOptions plan_options(const Arguments& arguments);

}  // namespace bench
