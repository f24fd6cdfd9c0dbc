#include "harness/app/baseline_fit.h"

#include <algorithm>
#include <utility>

#include "dashboards/row_text.h"
#include "harness/format.h"

namespace bench {

namespace {

// What --only took of a workload; nothing where it took the whole.
std::vector<std::string> dropped_variants(const Plan& configuration, const RunRecord& run,
                                          const std::string& name) {
  std::vector<std::string> dropped;
  for (const Workload& workload : configuration.workloads) {
    if (workload.name != name) continue;
    for (const std::string& variant : workload.variants) {
      const bool is_there = std::ranges::any_of(run.plan, [&](const PlannedCase& planned) {
        return planned.workload == name && planned.what.variant == variant;
      });
      if (!is_there) dropped.push_back(variant);
    }
    if (dropped.size() == workload.variants.size()) dropped.clear();
  }
  return dropped;
}

}  // namespace

std::vector<GateAnswer> answers_of(const std::vector<Gate>& gates, const RunRecord& run) {
  if (gates.empty()) return {};
  return answers(compare_by(gates, run, run));
}

BaselineFit fit_of(const Plan& configuration, const RunRecord& run) {
  const std::vector<Gate>& gates = configuration.gates;
  if (gates.empty()) return {};
  const Comparison alone = compare_by(gates, run, run);
  BaselineFit fit{.cases = alone.rows.size(), .gates = gates.size()};
  std::vector<Gate> whole;
  for (const Gate& gate : gates) {
    const auto dropped = dropped_variants(configuration, run, gate.workload);
    if (dropped.empty()) {
      whole.push_back(gate);
    } else {
      fit.absent.push_back({gate, format("{} is not in the run", join(dropped, ", ")), false});
    }
  }
  for (Uncovered& gate : uncovered_by(whole, alone, run)) {
    (gate.meant ? fit.left_out : fit.absent).push_back(std::move(gate));
  }
  fit.wanting = answers(alone);
  std::erase_if(fit.wanting, [](const GateAnswer& answer) { return answer.wanting.empty(); });
  return fit;
}

std::string BaselineFit::count() const {
  const auto of = [](std::size_t some, std::size_t all, const char* what) {
    return format("{} of {} {}{}", some, all, what, all == 1 ? "" : "s");
  };
  std::string in_cases = of(wanting.size(), cases, "gated case");
  if (absent.empty()) return in_cases;
  const std::string in_gates = of(absent.size(), gates, "gate");
  return wanting.empty() ? in_gates : in_cases + " and " + in_gates;
}

std::string gate_text(const Uncovered& uncovered) {
  const Gate& gate = uncovered.gate;
  return format("the gate on {} of {}: {}", gate.metric, gate.workload, uncovered.reason);
}

std::string answer_text(const GateAnswer& answer) {
  const std::string words = answer.wanting.empty()
                                ? format("can tell {:.2g} %, {:.2g} % is asked",
                                         *answer.tells * 100, answer.row.question.min_effect * 100)
                                : answer.wanting;
  return format("{}, {}: {}", row_text(answer.row).name, answer.row.metric, words);
}

}  // namespace bench
