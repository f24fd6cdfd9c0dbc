#pragma once

#include <string>

#include "harness/app/survey.h"
#include "harness/units.h"
#include "workloads/workload.h"

namespace bench {

// Every case of the plan with its memory and predicted step, and an estimate of the whole run's
// time: what `bench run --dry-run` prints.
std::string describe_plan(const Plan& plan, const Survey& survey);

// Above this many cases a device is not asked about each: the plan is shown by its size only.
bool too_large_to_survey(const Plan& plan);
std::string describe_size(const Plan& plan);

// An upper estimate of the time a run will take, from its limits and the predicted steps.
Seconds estimated_time(const Survey& survey);

}  // namespace bench
