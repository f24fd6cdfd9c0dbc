#pragma once

#include <string>
#include <vector>

#include "harness/hosts.h"
#include "runners/worker.h"
#include "workloads/workload.h"

namespace bench {

// What is known of a plan before anything is measured.
struct SurveyedPoint {
  const Workload* workload;
  const Point* point;
  PointEstimate estimate;  // of the workload's variants, in their order
};
struct Survey {
  std::vector<SurveyedPoint> points;  // those the plan does not skip
  std::vector<DeviceFacts> devices;   // of the runners that have one
  std::vector<Fact> environment;      // what else the runners know of it
};

// Asks one worker a runner what it can say of every point, and how fast its devices copy. Process 0
// has the devices of all. The plan must outlive the survey.
Survey survey(const Plan& plan, const std::vector<std::string>& worker, Hosts* hosts = nullptr);

// Throws Error (exit 2) that says what does not fit in memory, and what `--set` would.
void require_fit(const Plan& plan, const Survey& survey);

// Case ids that must end `incorrect`.
std::vector<std::string> negative_controls(const Survey& survey);

}  // namespace bench
