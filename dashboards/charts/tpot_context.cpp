#include "dashboards/chart.h"

namespace bench {
namespace {

void draw_tpot_context(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    for (const auto& [held, points] : lines_along(workload, "context")) {
      Plot plot{.title = title_of(workload, held) + ": TPOT against context",
                .caption = "Bars: smallest and largest replicate.",
                .x = {.title = "context, tokens", .log = true, .counts = true},
                .y = {.title = "TPOT, ms", .log = true}};
      for (const std::string& variant : workload.variants) {
        PlotSeries s{.name = variant, .look = input.variants.of(variant)};
        for (const PointSummary* p : points) {
          s.points.push_back(tpot_point(*p, variant, static_cast<double>(p->parameters.context)));
        }
        plot.series.push_back(std::move(s));
      }
      draw(plot, page);
    }
  }
}

const Register<ChartKind> kTpotContextChart{
    {.order = 10, .name = "tpot_context", .at_a_glance = true, .draw = draw_tpot_context}};

}  // namespace
}  // namespace bench
