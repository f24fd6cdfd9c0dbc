#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "dashboards/plot.h"
#include "dashboards/request_trace.h"
#include "dashboards/summary.h"
#include "harness/format.h"
#include "harness/registry.h"

namespace bench {

// Charts are static SVG drawn here. Of the packaged libraries none fits a page that must be read
// and printed without JavaScript: Chart.js (200 kB) paints a canvas, which is empty without it and
// a bitmap in print; d3 (240 kB) builds its SVG in the browser alone, and its axes and legends are
// one's own code anyway; vega (over 600 kB with what it needs) compiles its expressions, which the
// page's content-security policy forbids. The page of 500 cases has 0.8 of its 1 MB in data.

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
  const ReadRequests& read_requests;  // may be empty
};

// A chart of the report is one new file in dashboards/charts ending in
//   const Register<ChartKind> kRegistered{{.order = 10, .name = "tpot_context", .draw = draw_it}};
// It draws nothing when the run has no data for it.
struct ChartKind {
  int order;  // on the page
  std::string name;
  bool at_a_glance = false;  // its first figure also stands at the top of the page
  std::function<void(const ChartInput&, Html&)> draw;

  [[nodiscard]] std::string key() const { return format("{:04} {}", order, name); }
};

// Points of a workload that differ in one axis only, by rising value of it.
struct AxisLine {
  std::string held;  // label of what they share
  std::vector<const PointSummary*> points;
};
// None when the axis does not vary. Where a workload has very many lines, a few spread over them.
std::vector<AxisLine> lines_along(const WorkloadSummary& workload, const std::string& axis);

// The value of a parameter as a number; 0 where it is none.
double number_of(const Parameters& parameters, const std::string& axis);

// The point of a workload where a variant gains most over the baseline, or its first; nullptr when
// it has none.
const PointSummary* telling_point(const WorkloadSummary& workload);

// "workload, context 4k"
std::string title_of(const WorkloadSummary& workload, const std::string& held);

// A metric of a variant times `scale`, with the range of its replicates; a gap, with the reason,
// where it has none.
struct MetricView {
  std::string name;
  double scale;
  std::string unit;
};
PlotPoint metric_point(const PointSummary& point, const std::string& variant,
                       const MetricView& metric, double x);

// TPOT of a variant in ms at a point, with the range of its replicates; a gap, with the reason,
// where it has none.
PlotPoint tpot_point(const PointSummary& point, const std::string& variant, double x);

// Output tokens per second of all requests together: as measured, or (a decode step) concurrency /
// TPOT of each replicate.
PlotPoint output_rate_point(const PointSummary& point, const std::string& variant, double x);
std::optional<double> output_rate_per_gpu(const CaseSummary& c);

}  // namespace bench
