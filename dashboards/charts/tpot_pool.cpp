#include "dashboards/chart.h"
#include "dashboards/numbers.h"

namespace bench {
namespace {

// Where bytes over the copy bandwidth put the step.
PlotSeries predicted(const std::vector<const PointSummary*>& points, const std::string& variant,
                     std::size_t look) {
  PlotSeries s{.name = variant + ", predicted", .look = look, .mark = Mark::dashed};
  for (const PointSummary* p : points) {
    const CaseSummary* c = find_variant(*p, variant);
    PlotPoint point{.x = static_cast<double>(p->parameters.pool_tokens)};
    if (c != nullptr && c->predicted_s) point.y = *c->predicted_s * 1e3;
    s.points.push_back(point);
  }
  return s;
}

void draw_line(const ChartInput& input, const WorkloadSummary& workload, const std::string& held,
               const std::vector<const PointSummary*>& points, Html& page) {
  Plot plot{.title = title_of(workload, held) + ": TPOT against pool size",
            .caption =
                "A step that touches the whole pool rises with it; a sound one is flat. Dashed: "
                "declared bytes over "
                "the measured copy bandwidth.",
            .x = {.title = "pool, tokens", .counts = true, .from_zero = true},
            .y = {.title = "TPOT, ms", .from_zero = true}};
  for (const std::string& variant : workload.variants) {
    PlotSeries s{.name = variant, .look = input.variants.of(variant)};
    for (const PointSummary* p : points) {
      s.points.push_back(tpot_point(*p, variant, static_cast<double>(p->parameters.pool_tokens)));
    }
    plot.series.push_back(std::move(s));
  }
  if (!workload.baseline.empty() && input.summary.copy_bytes_per_s > 0) {
    plot.series.push_back(
        predicted(points, workload.baseline, input.variants.of(workload.baseline)));
  }
  draw(plot, page);
}

void draw_tpot_pool(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    for (const auto& [held, points] : lines_along(workload, "pool_tokens"))
      draw_line(input, workload, held, points, page);
  }
}

const Register<ChartKind> kTpotPoolChart{
    {.order = 20, .name = "tpot_pool", .at_a_glance = true, .draw = draw_tpot_pool}};

}  // namespace
}  // namespace bench
