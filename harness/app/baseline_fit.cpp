#include "harness/app/baseline_fit.h"

#include <utility>

#include "dashboards/row_text.h"
#include "harness/format.h"

namespace bench {

std::vector<GateAnswer> answers_of(const std::vector<Gate>& gates, const RunRecord& run) {
  if (gates.empty()) return {};
  return answers(compare_by(gates, run, run));
}

BaselineFit fit_of(const std::vector<Gate>& gates, const RunRecord& run) {
  if (gates.empty()) return {};
  const Comparison alone = compare_by(gates, run, run);
  BaselineFit fit{.cases = alone.rows.size(), .gates = gates.size()};
  for (Uncovered& gate : uncovered_by(gates, alone, run)) {
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
