#include <algorithm>

#include "dashboards/chart.h"
#include "dashboards/numbers.h"

namespace bench {
namespace {

// A choice of variant and concurrency: what a user gets against what a GPU gives.
std::optional<PlotPoint> choice_of(const PointSummary& point, const CaseSummary& c) {
  const auto per_gpu = output_rate_per_gpu(c);
  if (!c.tpot_s || !per_gpu) return std::nullopt;
  const double per_user = 1 / *c.tpot_s;
  return PlotPoint{.x = per_user,
                   .y = *per_gpu,
                   .note = format("{}, {}: {} tok/s a user, {} tok/s a GPU", c.variant(),
                                  point.label, significant(per_user), significant(*per_gpu))};
}

// The choices that no other beats in both, by rising x.
std::vector<PlotPoint> frontier(std::vector<PlotPoint> all) {
  std::ranges::sort(all, [](const PlotPoint& a, const PlotPoint& b) {
    return a.x > b.x || (a.x == b.x && *a.y > *b.y);
  });
  std::vector<PlotPoint> best;
  for (PlotPoint& p : all) {
    if (best.empty() || *p.y > *best.back().y) best.push_back({.x = p.x, .y = p.y});
  }
  return best;
}

void draw_pareto(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    for (const auto& [held, points] : lines_along(workload, "concurrency")) {
      Plot plot{
          .title = title_of(workload, held) + ": tok/s a GPU against tok/s a user",
          .caption = "Up and right is better. Dashed: the choices that no other beats in both.",
          .x = {.title = "tok/s of one user"},
          .y = {.title = "output tok/s a GPU", .from_zero = true}};
      std::vector<PlotPoint> all;
      for (const std::string& variant : workload.variants) {
        PlotSeries s{.name = variant, .look = input.variants.of(variant), .mark = Mark::points};
        for (const PointSummary* p : points) {
          const CaseSummary* c = find_variant(*p, variant);
          const auto choice = c == nullptr ? std::nullopt : choice_of(*p, *c);
          if (choice) s.points.push_back(*choice);
        }
        all.insert(all.end(), s.points.begin(), s.points.end());
        if (!s.points.empty()) plot.series.push_back(std::move(s));
      }
      if (all.empty()) continue;
      plot.series.push_back({.name = "best of both",
                             .look = 7,
                             .points = frontier(std::move(all)),
                             .mark = Mark::dashed});
      draw(plot, page);
    }
  }
}

const Register<ChartKind> kParetoChart{{.order = 60, .name = "pareto", .draw = draw_pareto}};

}  // namespace
}  // namespace bench
