#include "harness/app/compare_report_of.h"

#include <algorithm>
#include <utility>

#include "harness/app/judge.h"
#include "harness/app/plan_options.h"
#include "harness/app/report_of.h"
#include "harness/error.h"

namespace bench {

std::vector<Gate> known_gates_of(const RunRecord& run) {
  try {
    return gates_of(run.info);
  } catch (const Error&) {
    return {};
  }
}

std::vector<Asked> asked_of(const RunRecord& run) {
  std::vector<Asked> asked = asked_by(known_gates_of(run));
  if (asked.empty()) return asked;
  for (const PlannedCase& planned : run.plan) {
    for (Asked main : main_metrics(planned.what.runner)) {
      const bool known = std::ranges::any_of(asked, [&](const Asked& a) {
        return a.workload == planned.workload && a.metric == main.metric;
      });
      main.workload = planned.workload;
      if (!known) asked.push_back(std::move(main));
    }
  }
  return asked;
}

CompareReport compare_report_of(const RunRecord& baseline, const RunRecord& candidate) {
  return {.baseline = report_of(baseline),
          .candidate = report_of(candidate),
          .comparison = compare(baseline, candidate, {.asked = asked_of(candidate)})};
}

}  // namespace bench
