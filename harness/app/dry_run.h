#pragma once

#include <cstddef>
#include <string>

#include "harness/app/survey.h"
#include "harness/units.h"
#include "workloads/workload.h"

namespace bench {

// Every case of the plan with its memory and predicted step, and an estimate of the whole run's
// time: what `bench run --dry-run` prints.
std::string describe_plan(const Plan& plan, const Survey& survey);

// More cases than this are not asked of a device one by one, and not measured in one run.
inline constexpr std::size_t kMostMeasured = 5000;
std::size_t case_count(const Plan& plan);

// The plan by its size only: what --dry-run prints of one that is too large.
std::string describe_size(const Plan& plan);

// An upper estimate of the time a run will take, from its limits and the predicted steps.
Seconds estimated_time(const Survey& survey);

}  // namespace bench
