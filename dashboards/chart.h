#pragma once

#include <functional>
#include <map>
#include <string>

#include "dashboards/plot.h"
#include "dashboards/summary.h"
#include "harness/format.h"
#include "harness/registry.h"

namespace bench {

// The look of a variant or stage: the same colour and shape in every chart of a page.
class Looks {
 public:
  std::size_t of(const std::string& name) {
    return looks_.try_emplace(name, looks_.size()).first->second;
  }

 private:
  std::map<std::string, std::size_t> looks_;
};

struct ChartInput {
  const RunSummary& summary;
  Looks& variants;
  Looks& stages;
};

// A chart of the report is one new file in dashboards/charts ending in
//   const Register<ChartKind> registered{{.order = 10, .name = "tpot_context", .draw = draw_it}};
// It draws nothing when the run has no data for it.
struct ChartKind {
  int order;  // on the page
  std::string name;
  std::function<void(const ChartInput&, Html&)> draw;

  [[nodiscard]] std::string key() const { return format("{:04} {}", order, name); }
};

// Points of a workload that differ in `axis` only, by the label of what they share. Empty when
// the axis does not vary.
std::map<std::string, std::vector<const PointSummary*>> lines_along(const WorkloadSummary& workload,
                                                                    const std::string& axis);

// TPOT of a variant in ms at a point, with the range of its replicates; a gap, with the reason,
// where it has none.
PlotPoint tpot_point(const PointSummary& point, const std::string& variant, double x);

}  // namespace bench
