#include "harness/app/baseline_fit.h"

#include "dashboards/row_text.h"
#include "harness/format.h"

namespace bench {

std::vector<Answer> answers_of(const std::vector<Gate>& gates, const RunRecord& run) {
  return answers(compare_by(gates, run, run));
}

std::vector<Answer> unanswered(const std::vector<Gate>& gates, const RunRecord& run) {
  std::vector<Answer> all = answers_of(gates, run);
  std::erase_if(all, [](const Answer& answer) { return answer.wanting.empty(); });
  return all;
}

std::string answer_text(const Answer& answer) {
  const std::string words = answer.wanting.empty()
                                ? format("can tell {:.2g} %, {:.2g} % is asked",
                                         *answer.tells * 100, answer.row.question.min_effect * 100)
                                : answer.wanting;
  return format("{}, {}: {}", row_text(answer.row).name, answer.row.metric, words);
}

}  // namespace bench
