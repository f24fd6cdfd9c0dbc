#include "dashboards/chart.h"

namespace bench {
namespace {

using ReadPoint = PlotPoint (*)(const PointSummary&, const std::string&, double);

Plot plot_of(const ChartInput& input, const WorkloadSummary& workload,
             const std::vector<const PointSummary*>& points, ReadPoint point) {
  Plot plot{.caption = "Bars: smallest and largest replicate.",
            .x = {.title = "concurrency, requests", .log = true, .counts = true}};
  for (const std::string& variant : workload.variants) {
    PlotSeries s{.name = variant, .look = input.variants.of(variant)};
    for (const PointSummary* p : points)
      s.points.push_back(point(*p, variant, static_cast<double>(p->parameters.concurrency)));
    plot.series.push_back(std::move(s));
  }
  return plot;
}

void draw_concurrency(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    for (const auto& [held, points] : lines_along(workload, "concurrency")) {
      Plot speed = plot_of(input, workload, points, tpot_point);
      speed.title = title_of(workload, held) + ": TPOT against concurrency";
      speed.y = {.title = "TPOT, ms", .log = true};
      draw(speed, page);
      Plot rate = plot_of(input, workload, points, output_rate_point);
      rate.title = title_of(workload, held) + ": throughput against concurrency";
      rate.y = {.title = "output tok/s, all requests", .log = true};
      draw(rate, page);
    }
  }
}

const Register<ChartKind> kConcurrencyChart{
    {.order = 50, .name = "concurrency", .at_a_glance = true, .draw = draw_concurrency}};

}  // namespace
}  // namespace bench
