#pragma once

#include <functional>
#include <string>

#include "dashboards/html.h"
#include "dashboards/summary.h"

namespace bench {

using RepeatCommand = std::function<std::string(const std::string& workload, const Case&)>;

// The before/after table of a run, one row a case. A row opens to its stages, samples, device
// state and the command that repeats it.
void draw_case_table(const RunSummary& summary, const RepeatCommand& repeat, Html& page);

// How a case fares in its run, as a word and a shape.
struct CaseOutcome {
  std::string_view shape;  // one character
  std::string word;
  std::string_view css;  // "good", "bad", "none", "warn"
};
CaseOutcome outcome_of(const CaseSummary& c, const std::string& baseline);

}  // namespace bench
