#pragma once

#include <functional>
#include <string>

#include "dashboards/chart.h"
#include "dashboards/compared_runs.h"

namespace bench {

// A chart of the comparison's page: one new file in dashboards/charts ending in
//   const Register<CompareChartKind> kRegistered{{.order = 10, .name = "changes", .draw =
//   draw_it}};
struct CompareChartKind {
  int order;  // on the page
  std::string name;
  std::function<void(const ComparedRuns&, Looks&, Html&)> draw;

  [[nodiscard]] std::string key() const { return format("{:04} {}", order, name); }
};

}  // namespace bench
