#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/attribution.h"
#include "results/side.h"
#include "results/verdict.h"

namespace bench {

// A metric that a comparison judges.
struct Asked {
  std::string workload;  // empty: of every workload
  std::string metric;
  std::optional<double> min_effect{};  // fraction; none: 1 % (kernels), 3 % (http)
  std::string relative_to{};           // see Row
};

// One metric of one case on both sides.
struct Row {
  Case what;                     // of the candidate, or of the only side that has it
  std::string baseline_variant;  // another than what.variant within one run
  std::string workload;
  std::string label;  // the axes: "context 4k, concurrency 8"
  std::string metric;
  // A variant that stands for the machine (results/relative.h): the candidate's values are those it
  // would have had, were that variant as fast as in the baseline. Empty: they are as measured.
  std::string relative_to{};
  double control_ratio = 1;  // of that variant, candidate / baseline as measured
  Question question;
  std::optional<Evidence> evidence;  // none where a side has no value
  // Why others on the CPU made a side unfit, disturbed(); empty: they did not. Then it is invalid.
  std::string baseline_disturbed{};
  std::string candidate_disturbed{};
  Verdict verdict;
  std::optional<Interval> cycles;   // ratio of time x SM clock, 95 %, where both are known
  std::vector<StageChange> stages;  // of tpot_s
};

// What is compared with what; nullptr: absent on that side, never on both.
struct Match {
  std::string workload;
  const Side* baseline = nullptr;
  const Side* candidate = nullptr;
  // The variant that they are relative to, of the same point.
  const Side* baseline_control = nullptr;
  const Side* candidate_control = nullptr;
};

// " relative to full_pool_cast"; empty where there is none.
std::string relative_text(const std::string& relative_to);

// The main metrics of a runner, for who asks for none.
std::vector<Asked> main_metrics(const std::string& runner);
// Their names, of all runners that the plan uses.
std::set<std::string> main_metrics_of(const std::vector<PlannedCase>& plan);

// The case that a side measures or was to measure.
const Case& case_of(const Side& side);

// Reads the metric on both sides. A row that can be judged has evidence and no reason yet.
Row make_row(const Match& match, const Asked& asked, bool paired);

// Judges the rows as one family, of `size` at least (results/verdict.h).
void judge(std::vector<Row>& rows, std::size_t size = 0);

}  // namespace bench
