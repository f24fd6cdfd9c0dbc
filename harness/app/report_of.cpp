#include "harness/app/report_of.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

#include "harness/app/repeat_command.h"
#include "harness/app/requests_of.h"
#include "harness/app/times.h"
#include "harness/error.h"
#include "harness/format.h"
#include "results/run.h"

namespace bench {
namespace {

// Two planned cases of one workload are of one point when only the variant differs.
bool same_point(const Workload& workload, const Point& point, const PlannedCase& planned) {
  return case_id(workload.case_of(point, planned.what.variant)) == case_id(planned.what);
}

Workload& workload_of(std::vector<Workload>& workloads, const PlannedCase& planned) {
  const auto it = std::ranges::find(workloads, planned.workload, &Workload::name);
  if (it != workloads.end()) return *it;
  return workloads.emplace_back(Workload{.name = planned.workload,
                                         .runner = planned.what.runner,
                                         .axes = planned.axes,
                                         .replicates = planned.replicates});
}

}  // namespace

std::vector<Workload> workloads_of(const std::vector<PlannedCase>& plan) {
  std::vector<Workload> workloads;
  for (const PlannedCase& planned : plan) {
    Workload& workload = workload_of(workloads, planned);
    if (std::ranges::find(workload.variants, planned.what.variant) == workload.variants.end()) {
      workload.variants.push_back(planned.what.variant);
    }
    if (planned.is_baseline) workload.baseline = planned.what.variant;
    const bool known =
        !workload.points.empty() && same_point(workload, workload.points.back(), planned);
    if (!known)
      workload.points.push_back({.parameters = planned.what.parameters, .skip = planned.skip});
  }
  return workloads;
}

RunReport report_of(const RunRecord& run) {
  RunReport report;
  report.run = {.id = format("{} ({})", run.info.number, run.info.id.substr(0, 8)),
                .name = run.info.name,
                .started = utc_time(run.info.started_unix_s) + " UTC",
                .tag = run.info.tag,
                .notes = run.info.notes,
                .command = run.info.argv};
  for (const Fact& fact : run.environment)
    report.run.environment.push_back({fact.name, fact.value});
  for (const DeviceRecord& device : run.devices) {
    if (device.copy_bytes_per_s) report.copy_bytes_per_s = *device.copy_bytes_per_s;
  }
  if (run.info.status == RunStatus::running)
    report.run.warnings.emplace_back("the run has not ended: these are the results so far");
  if (run.info.status == RunStatus::interrupted)
    report.run.warnings.emplace_back(
        "the run was interrupted: `bench run --resume` goes on with it");
  report.generated = utc_time(unix_now()) + " UTC";
  report.workloads = workloads_of(run.plan);
  report.measurements = run.measurements;
  std::map<std::string, std::vector<std::string>> axes;
  for (const Workload& workload : report.workloads) axes[workload.name] = workload.axes;
  report.repeat_command = [info = run.info, axes](const std::string& workload, const Case& c) {
    const auto known = axes.find(workload);
    return repeat_command(
        info.argv, info.name,
        {workload, known == axes.end() ? std::vector<std::string>{} : known->second, c});
  };
  report.read_requests = requests_of;
  return report;
}

void write_file(const std::string& path, const std::string& text) {
  const std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(partial.c_str());
    fail(format("{}: cannot be written: {}", path, why));
  }
}

}  // namespace bench
