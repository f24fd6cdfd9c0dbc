#include "harness/app/baseline_fit.h"

#include "dashboards/row_text.h"
#include "harness/format.h"

namespace bench {

std::vector<GateAnswer> answers_of(const std::vector<Gate>& gates, const RunRecord& run) {
  if (gates.empty()) return {};
  return answers(compare_by(gates, run, run));
}

std::vector<GateAnswer> unanswered(const std::vector<Gate>& gates, const RunRecord& run) {
  std::vector<GateAnswer> all = answers_of(gates, run);
  std::erase_if(all, [](const GateAnswer& answer) { return answer.wanting.empty(); });
  return all;
}

std::string answer_text(const GateAnswer& answer) {
  const std::string words = answer.wanting.empty()
                                ? format("can tell {:.2g} %, {:.2g} % is asked",
                                         *answer.tells * 100, answer.row.question.min_effect * 100)
                                : answer.wanting;
  return format("{}, {}: {}", row_text(answer.row).name, answer.row.metric, words);
}

}  // namespace bench
