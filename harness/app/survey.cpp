#include "harness/app/survey.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/units.h"
#include "runners/protocol.h"

namespace bench {
namespace {

// Memory the system keeps for itself and the driver's own needs.
constexpr double kUsable = 0.95;

bool fits(const PointEstimate& estimate) {
  return estimate.device_bytes_free == 0 ||
         estimate.device_bytes <= kUsable * estimate.device_bytes_free;
}

std::string memory_text(const SurveyedPoint& at) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < at.estimate.cases.size(); ++i) {
    parts.push_back(
        format("{} {}", at.workload->variants[i], format_bytes(at.estimate.cases[i].device_bytes)));
  }
  return format("  {}, {}: {} together, of {} free ({})\n", at.workload->name,
                label(at.point->parameters, at.workload->axes),
                format_bytes(at.estimate.device_bytes), format_bytes(at.estimate.device_bytes_free),
                join(parts, ", "));
}

// The most layers at which the point fits: memory grows in proportion to them.
std::int64_t layers_that_fit(const SurveyedPoint& at) {
  const double share = kUsable * at.estimate.device_bytes_free / at.estimate.device_bytes;
  return static_cast<std::int64_t>(
      std::floor(static_cast<double>(at.point->parameters.layers) * share));
}

std::string advice(const std::vector<const SurveyedPoint*>& misfits) {
  std::int64_t layers = misfits.front()->point->parameters.layers;
  for (const SurveyedPoint* at : misfits) layers = std::min(layers, layers_that_fit(*at));
  if (layers >= 1) return format("fewer layers would: --set layers={}", layers);
  return "one layer alone is too much: choose smaller pools, or fewer variants with --only";
}

// As placement.h does for the GPUs of one process.
void refuse_unlike(const DeviceFacts& first, const DeviceFacts& other, std::size_t process) {
  if (other.kind != "cuda" && first.kind != "cuda") return;
  if (first.name == other.name && first.memory_bytes == other.memory_bytes) return;
  fail_usage(
      format("process 0 has a {} ({}), process {} a {} ({}): they are not alike, so the slowest "
             "would be measured for all: choose hosts that are",
             first.name, format_bytes(first.memory_bytes), process, other.name,
             format_bytes(other.memory_bytes)));
}

// Everyone's devices, in order of the processes.
void gather_devices(Estimates& estimates, Hosts& hosts) {
  if (hosts.count() == 1) return;
  const std::string mine =
      encode({.kind = WorkerMessage::Kind::estimates, .estimates = {estimates.devices, {}}});
  estimates.devices.clear();
  const std::vector<std::string> all = hosts.exchange(mine);
  for (std::size_t process = 0; process < all.size(); ++process) {
    for (DeviceFacts& device : decode_message(all[process]).estimates.devices) {
      estimates.devices.push_back(std::move(device));
      refuse_unlike(estimates.devices.front(), estimates.devices.back(), process);
    }
  }
}

}  // namespace

Survey survey(const Plan& plan, const std::vector<std::string>& worker, Hosts* hosts) {
  std::map<std::string, Job> jobs;
  std::map<std::string, std::vector<std::size_t>> places;
  Survey result;
  for (const Workload& workload : plan.workloads) {
    for (const Point& point : workload.points) {
      if (!point.skip.empty()) continue;
      Job& job = jobs[workload.runner];
      job.workload.name = workload.name;
      job.workload.runner = workload.runner;
      std::vector<Case>& group = job.groups.emplace_back();
      for (const std::string& variant : workload.variants) {
        group.push_back(workload.case_of(point, variant));
      }
      places[workload.runner].push_back(result.points.size());
      result.points.push_back({.workload = &workload, .point = &point});
    }
  }
  for (const auto& [runner, job] : jobs) {
    Estimates estimates = estimate_job(job, worker, hosts);
    if (hosts != nullptr) gather_devices(estimates, *hosts);
    if (estimates.points.size() != job.groups.size()) fail("the worker's survey is not complete");
    for (std::size_t i = 0; i < estimates.points.size(); ++i) {
      result.points[places[runner][i]].estimate = estimates.points[i];
    }
    result.environment.insert(result.environment.end(), estimates.environment.begin(),
                              estimates.environment.end());
    for (const DeviceFacts& device : estimates.devices) result.devices.push_back(device);
  }
  return result;
}

void require_fit(const Plan& plan, const Survey& survey) {
  std::vector<const SurveyedPoint*> misfits;
  for (const SurveyedPoint& at : survey.points) {
    if (!fits(at.estimate)) misfits.push_back(&at);
  }
  if (misfits.empty()) return;
  constexpr std::size_t kShown = 4;
  std::string text = format("{}: {} of {} points do not fit in memory, so nothing was measured\n",
                            plan.path, misfits.size(), survey.points.size());
  for (std::size_t i = 0; i < std::min(kShown, misfits.size()); ++i)
    text += memory_text(*misfits[i]);
  if (misfits.size() > kShown) text += format("  and {} more\n", misfits.size() - kShown);
  fail_usage(text + advice(misfits));
}

std::vector<std::string> negative_controls(const Survey& survey) {
  std::vector<std::string> ids;
  for (const SurveyedPoint& at : survey.points) {
    for (std::size_t i = 0; i < at.estimate.cases.size(); ++i) {
      if (!at.estimate.cases[i].negative_control) continue;
      ids.push_back(case_id(at.workload->case_of(*at.point, at.workload->variants[i])));
    }
  }
  return ids;
}

}  // namespace bench
