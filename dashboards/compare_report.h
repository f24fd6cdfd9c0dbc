#pragma once

#include <string>

#include "dashboards/report.h"
#include "results/compare.h"

namespace bench {

// Two runs beside each other. Whatever the page says of a change, it takes from `comparison`.
struct CompareReport {
  RunReport baseline, candidate;
  Comparison comparison;
};

// One side, where its report and summary serve several pages.
struct CompareSide {
  const RunReport& report;
  const RunSummary& summary;
};

// One self-contained page, as report_html().
std::string compare_html(const CompareReport& report);
std::string compare_html(const CompareSide& baseline, const CompareSide& candidate,
                         const Comparison& comparison);

}  // namespace bench
