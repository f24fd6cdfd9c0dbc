#pragma once

#include <string>

#include "dashboards/report.h"
#include "results/compare.h"

namespace bench {

// Two runs beside each other. Whatever the page says of a change, it takes from `comparison`.
struct CompareReport {
  RunReport baseline, candidate;
  Comparison comparison;
  std::string generated;
};

// One self-contained page, as report_html().
std::string compare_html(const CompareReport& report);

}  // namespace bench
