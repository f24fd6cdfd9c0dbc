#include <array>

#include "dashboards/compare_chart.h"

namespace bench {
namespace {

struct Along {
  const char* axis;
  const char* title;
  bool log;
};
constexpr std::array kAxes{Along{"context", "context, tokens", true},
                           Along{"pool_tokens", "pool, tokens", false},
                           Along{"concurrency", "concurrency, requests", true}};

const AxisLine* same_line(const std::vector<AxisLine>& lines, const std::string& held) {
  for (const AxisLine& line : lines) {
    if (line.held == held) return &line;
  }
  return nullptr;
}

PlotSeries series_of(const AxisLine& line, const std::string& variant, const std::string& axis,
                     Looks& looks) {
  PlotSeries s{.name = variant, .look = looks.of(variant)};
  for (const PointSummary* p : line.points)
    s.points.push_back(tpot_point(*p, variant, number_of(p->parameters, axis)));
  return s;
}

void draw_line(const WorkloadSummary& workload, const Along& along, const AxisLine& after,
               const AxisLine* before, Looks& looks, Html& page) {
  Plot plot{.title = title_of(workload, after.held) + ": TPOT against " + along.axis +
                     ", before and after",
            .caption = "Solid: candidate. Dashed: baseline. Bars: smallest and largest replicate.",
            .x = {.title = along.title, .log = along.log, .counts = true},
            .y = {.title = "TPOT, ms", .log = along.log, .from_zero = !along.log}};
  for (const std::string& variant : workload.variants) {
    plot.series.push_back(series_of(after, variant, along.axis, looks));
    if (before == nullptr) continue;
    PlotSeries old = series_of(*before, variant, along.axis, looks);
    old.name.clear();
    old.mark = Mark::dashed;
    for (PlotPoint& p : old.points) p.low = p.high = std::nullopt;
    plot.series.push_back(std::move(old));
  }
  draw(plot, page);
}

void draw_lines_before_and_after(const ComparedRuns& comparison, Looks& looks, Html& page) {
  for (const WorkloadSummary& workload : comparison.after.summary.workloads) {
    const WorkloadSummary* old = nullptr;
    for (const WorkloadSummary& w : comparison.before.summary.workloads) {
      if (w.name == workload.name) old = &w;
    }
    for (const Along& along : kAxes) {
      const std::vector<AxisLine> before =
          old == nullptr ? std::vector<AxisLine>{} : lines_along(*old, along.axis);
      for (const AxisLine& line : lines_along(workload, along.axis)) {
        draw_line(workload, along, line, same_line(before, line.held), looks, page);
      }
    }
  }
}

const Register<CompareChartKind> kCompareLinesChart{
    {.order = 30, .name = "lines", .draw = draw_lines_before_and_after}};

}  // namespace
}  // namespace bench
