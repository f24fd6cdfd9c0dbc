#include "dashboards/chart.h"
#include "dashboards/numbers.h"
#include "harness/units.h"

namespace bench {
namespace {

Bar bar_of(const CaseSummary& c, Looks& looks) {
  Bar bar{.name = c.variant()};
  if (!c.tpot_s) {
    bar.missing = c.status_word();
    return bar;
  }
  bar.total = milliseconds(*c.tpot_s) + " ms";
  for (const StageSummary& s : c.stages) {
    std::string note = format("{} {}: {} ms, {}", c.variant(), s.stage, milliseconds(s.seconds),
                              format_bytes(s.bytes));
    if (s.of_ceiling) note += ", " + percent_of(*s.of_ceiling) + " of the copy bandwidth";
    bar.parts.push_back({s.stage, looks.of(s.stage), s.seconds * 1e3, note});
  }
  if (c.unattributed_s) {
    bar.parts.push_back(
        {"unattributed", looks.of("unattributed"), *c.unattributed_s * 1e3,
         c.variant() + " unattributed: " + milliseconds(*c.unattributed_s) + " ms"});
  }
  return bar;
}

// The point of a workload where the most is gained, or its first.
const PointSummary* telling_point(const WorkloadSummary& workload) {
  const PointSummary* best = workload.points.empty() ? nullptr : &workload.points.front();
  double best_ratio = 1;
  for (const PointSummary& p : workload.points) {
    for (const CaseSummary& c : p.cases) {
      if (!c.change || c.change->ratio >= best_ratio) continue;
      best_ratio = c.change->ratio;
      best = &p;
    }
  }
  return best;
}

void draw_it(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    const PointSummary* point = telling_point(workload);
    if (point == nullptr) continue;
    BarPlot plot{.title = workload.name + (point->label.empty() ? "" : ", " + point->label) +
                          ": where a step's time goes",
                 .caption =
                     "Stages from their own instrumented steps; unattributed is the rest of the "
                     "uninstrumented step.",
                 .unit = "ms"};
    bool any = false;
    for (const CaseSummary& c : point->cases) {
      plot.bars.push_back(bar_of(c, input.stages));
      any = any || !c.stages.empty();
    }
    if (any) draw(plot, page);
  }
}

const Register<ChartKind> kRegistered{{.order = 30, .name = "stages", .draw = draw_it}};

}  // namespace
}  // namespace bench
