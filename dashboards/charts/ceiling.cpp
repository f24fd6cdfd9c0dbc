#include "dashboards/chart.h"
#include "dashboards/numbers.h"

namespace bench {
namespace {

PlotPoint share_of_ceiling(const PointSummary& point, const std::string& variant,
                           double copy_bytes_per_s, double x) {
  PlotPoint p = tpot_point(point, variant, x);
  const CaseSummary* c = find_variant(point, variant);
  if (c == nullptr || !c->tpot_s || c->bytes <= 0) return {.x = x, .note = p.y ? "" : p.note};
  const double share = c->bytes / *c->tpot_s / copy_bytes_per_s;
  return {
      .x = x,
      .y = share * 100,
      .note = variant + ", " + point.label + ": " + percent_of(share) + " of the copy bandwidth"};
}

// Along the first axis of each workload that is a number.
void draw_ceiling(const ChartInput& input, Html& page) {
  if (input.summary.copy_bytes_per_s <= 0) return;
  for (const WorkloadSummary& workload : input.summary.workloads) {
    if (workload.axes.empty()) continue;
    const std::string& axis = workload.axes.front();
    for (const auto& [held, points] : lines_along(workload, axis)) {
      Plot plot{
          .title = title_of(workload, held) + ": share of the bandwidth ceiling",
          .caption =
              "Declared bytes of a step over its TPOT, as a share of the measured copy bandwidth.",
          .x = {.title = axis, .log = true, .counts = true},
          .y = {.title = "% of copy bandwidth", .from_zero = true}};
      for (const std::string& variant : workload.variants) {
        PlotSeries s{.name = variant, .look = input.variants.of(variant)};
        for (const PointSummary* p : points) {
          s.points.push_back(share_of_ceiling(*p, variant, input.summary.copy_bytes_per_s,
                                              number_of(p->parameters, axis)));
        }
        plot.series.push_back(std::move(s));
      }
      draw(plot, page);
    }
  }
}

const Register<ChartKind> kCeilingChart{{.order = 70, .name = "ceiling", .draw = draw_ceiling}};

}  // namespace
}  // namespace bench
