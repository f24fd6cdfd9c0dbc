#pragma once

#include <string>
#include <vector>

#include "dashboards/compare_report.h"
#include "dashboards/row_text.h"
#include "dashboards/summary.h"

namespace bench {

// A comparison with both runs summarised, as its page draws it. Refers to all that it is made of.
struct ComparedRow {
  const Row* row;
  RowText text;
  const CaseSummary* before;  // nullptr: that side does not have the case
  const CaseSummary* after;
};

struct ComparedRuns {
  CompareSide before, after;
  const Comparison& comparison;
  std::vector<ComparedRow> rows;  // what needs a look first
};
ComparedRuns compared_runs(const CompareSide& before, const CompareSide& after,
                           const Comparison& comparison);

// A verdict as a shape and a class of report.css, beside its word: no meaning hangs on colour.
struct WordLook {
  std::string_view shape;  // one character
  std::string_view css;    // "good", "bad", "none", "warn"
};
WordLook look_of(Word word);

}  // namespace bench
