#include "dashboards/bars.h"
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

void draw_stage_bars(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    const PointSummary* point = telling_point(workload);
    if (point == nullptr) continue;
    BarPlot plot{
        .title = title_of(workload, point->label) + ": where a step's time goes",
        .caption =
            "Stages from their own instrumented steps; unattributed is the rest of the "
            "uninstrumented step.",
    };
    bool any = false;
    for (const CaseSummary& c : point->cases) {
      plot.bars.push_back(bar_of(c, input.stages));
      any = any || !c.stages.empty();
    }
    if (any) draw(plot, page);
  }
}

const Register<ChartKind> kStagesChart{
    {.order = 30, .name = "stages", .at_a_glance = true, .draw = draw_stage_bars}};

}  // namespace
}  // namespace bench
