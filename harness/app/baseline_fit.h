#pragma once

#include <string>
#include <vector>

#include "harness/app/judge.h"
#include "results/restless.h"

namespace bench {

// How a run would do as the baseline of its gates. A gate whose cases were left out on purpose is
// no reason against it: on a machine without a GPU no run would do.
struct BaselineFit {
  std::vector<GateAnswer> wanting;  // gated cases that it would leave without an answer
  std::vector<Uncovered> absent;    // gates that it would: cases of them were not measured
  std::vector<Uncovered> left_out;  // the same, on purpose

  std::size_t cases = 0;  // that the gates judge
  std::size_t gates = 0;

  [[nodiscard]] bool is_fit() const { return wanting.empty() && absent.empty(); }
  // "2 of 8 gated cases and 1 of 2 gates"
  [[nodiscard]] std::string count() const;
};
BaselineFit fit_of(const Plan& configuration, const RunRecord& run);

// The gated cases of a run, each with what it could tell.
std::vector<GateAnswer> answers_of(const std::vector<Gate>& gates, const RunRecord& run);

// "decode, context 4k, planted, tpot_s: can tell 3.9 % at best, 1.5 % is asked: ..."
std::string answer_text(const GateAnswer& answer);

// "the gate on tpot_s of prefill: no case of it is in the run"
std::string gate_text(const Uncovered& uncovered);

}  // namespace bench
