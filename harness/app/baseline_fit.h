#pragma once

#include <string>
#include <vector>

#include "harness/app/judge.h"
#include "results/restless.h"

namespace bench {

// How a run would do as the baseline of its gates.
std::vector<GateAnswer> answers_of(const std::vector<Gate>& gates, const RunRecord& run);

// Those gates that it would leave without an answer.
std::vector<GateAnswer> unanswered(const std::vector<Gate>& gates, const RunRecord& run);

// "decode, context 4k, planted, tpot_s: can tell 3.9 % at best, 1.5 % is asked: ..."
std::string answer_text(const GateAnswer& answer);

}  // namespace bench
