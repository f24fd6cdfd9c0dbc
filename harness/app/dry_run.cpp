#include "harness/app/dry_run.h"

#include <algorithm>

#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr std::int64_t kWarmUpSteps = 8;

// One case, one replicate: the fewest samples and the warm-up at the predicted step, no longer
// than the workload's limits.
Seconds case_time(const Sampling& sampling, double step) {
  if (step == 0) return sampling.max_time;
  const auto warm_up = std::min(Seconds(step * kWarmUpSteps), sampling.max_warm_up);
  const double fewest = static_cast<double>(sampling.min_samples) * step;
  const double most = static_cast<double>(sampling.max_samples) * step;
  return warm_up + Seconds(std::max(fewest, std::min(most, sampling.max_time.count())));
}

std::string case_line(const std::string& variant, const Estimate& estimate) {
  if (!estimate.unsupported.empty())
    return format("    {:<28} skipped: {}\n", variant, estimate.unsupported);
  const std::string note =
      estimate.negative_control ? "  (negative control: checked, not timed)" : "";
  const std::string step = estimate.seconds > 0
                               ? format_seconds(Seconds(estimate.seconds)) + " a step by its bytes"
                               : "step unknown";
  const std::string memory = estimate.device_bytes > 0 ? format_bytes(estimate.device_bytes)
                                                       : std::string("no device memory");
  return format("    {:<28} {:>12}  {}{}\n", variant, memory, step, note);
}

}  // namespace

Seconds estimated_time(const Survey& survey) {
  Seconds total{0};
  for (const SurveyedPoint& at : survey.points) {
    for (const Estimate& estimate : at.estimate.cases) {
      if (!estimate.unsupported.empty() || estimate.negative_control) continue;
      total += case_time(at.workload->sampling, estimate.seconds) *
               static_cast<double>(at.workload->replicates);
    }
  }
  return total;
}

std::size_t case_count(const Plan& plan) {
  std::size_t cases = 0;
  for (const Workload& workload : plan.workloads)
    cases += workload.points.size() * workload.variants.size();
  return cases;
}

std::string describe_size(const Plan& plan) {
  std::string text = format("{} ({})\n", plan.name, plan.path);
  for (const Workload& w : plan.workloads) {
    text += format("{} ({}): {} points x {} variants x {} replicates\n", w.name, w.runner,
                   w.points.size(), w.variants.size(), w.replicates);
  }
  return text + format("{} cases are more than the {} of one run: choose some with --only\n",
                       case_count(plan), kMostMeasured);
}

std::string describe_plan(const Plan& plan, const Survey& survey) {
  std::string text = format("{} ({})\n", plan.name, plan.path);
  for (const DeviceFacts& device : survey.devices) {
    text += format("device: {} ({}), {}\n", device.name, device.kind,
                   format_bytes(device.memory_bytes));
  }
  std::int64_t cases = 0;
  const Workload* workload = nullptr;
  for (const SurveyedPoint& at : survey.points) {
    if (at.workload != workload) {
      workload = at.workload;
      text += format("{} ({}, {} replicates)\n", workload->name, workload->runner,
                     workload->replicates);
    }
    text += format("  {}\n", label(at.point->parameters, workload->axes));
    for (std::size_t i = 0; i < at.estimate.cases.size(); ++i) {
      text += case_line(workload->variants[i], at.estimate.cases[i]);
      ++cases;
    }
  }
  for (const Workload& w : plan.workloads) {
    for (const Point& point : w.points) {
      if (!point.skip.empty()) {
        text +=
            format("{}, {}: skipped: {}\n", w.name, label(point.parameters, w.axes), point.skip);
      }
    }
  }
  return text + format("{} cases, at most about {} of measuring\n", cases,
                       format_seconds(estimated_time(survey)));
}

}  // namespace bench
