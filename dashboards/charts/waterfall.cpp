#include <algorithm>

#include "dashboards/bars.h"
#include "dashboards/chart.h"
#include "dashboards/numbers.h"

namespace bench {
namespace {

std::vector<std::string> stages_of(const CaseSummary& before, const CaseSummary& after) {
  std::vector<std::string> names;
  for (const CaseSummary* c : {&before, &after}) {
    for (const StageSummary& s : c->stages) {
      if (std::ranges::find(names, s.stage) == names.end()) names.push_back(s.stage);
    }
  }
  return names;
}

// The change of one stage, computed from the shown figures.
WaterfallStep step_of(const std::string& name, const CaseSummary& before, const CaseSummary& after,
                      double copy_bytes_per_s) {
  const StageSummary* b = find_stage(before, name);
  const StageSummary* a = find_stage(after, name);
  WaterfallStep step{.name = name};
  step.change =
      (a == nullptr ? 0 : shown_ms(a->seconds)) - (b == nullptr ? 0 : shown_ms(b->seconds));
  step.value = (step.change > 0 ? "+" : "") + significant(step.change);
  step.note = name + ": " + step.value + " ms";
  if (copy_bytes_per_s <= 0) return step;
  const double bytes = (a == nullptr ? 0 : a->bytes) - (b == nullptr ? 0 : b->bytes);
  step.predicted = bytes / copy_bytes_per_s * 1e3;
  step.note += ", predicted from bytes " + significant(*step.predicted) + " ms";
  return step;
}

void draw_case(const WorkloadSummary& workload, const PointSummary& point, const CaseSummary& after,
               double copy_bytes_per_s, Html& page) {
  const CaseSummary* before = find_variant(point, workload.baseline);
  Waterfall plot{.title = title_of(workload, point.label) + ": from " + workload.baseline + " to " +
                          after.variant(),
                 .caption =
                     "TPOT in ms, stage by stage. Outlined: what the declared bytes over the "
                     "measured copy bandwidth predict.",
                 .first = workload.baseline,
                 .last = after.variant(),
                 .first_value = milliseconds(*before->tpot_s) + " ms",
                 .last_value = milliseconds(*after.tpot_s) + " ms",
                 .start = shown_ms(*before->tpot_s)};
  for (const std::string& name : stages_of(*before, after)) {
    plot.steps.push_back(step_of(name, *before, after, copy_bytes_per_s));
  }
  if (before->unattributed_s && after.unattributed_s) {
    const double change = (*after.unattributed_s - *before->unattributed_s) * 1e3;
    const std::string value = (change > 0 ? "+" : "") + significant(change);
    plot.steps.push_back({.name = "unattributed",
                          .change = change,
                          .value = value,
                          .note = "unattributed: " + value + " ms"});
  }
  draw(plot, page);
}

// For the best variant at the point of each workload where most is gained.
void draw_waterfall(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    const PointSummary* point = telling_point(workload);
    if (point == nullptr) continue;
    const CaseSummary* best = nullptr;
    for (const CaseSummary& c : point->cases) {
      if (c.change && !c.stages.empty() &&
          (best == nullptr || c.change->ratio < best->change->ratio))
        best = &c;
    }
    if (best != nullptr) draw_case(workload, *point, *best, input.summary.copy_bytes_per_s, page);
  }
}

const Register<ChartKind> kWaterfallChart{
    {.order = 40, .name = "waterfall", .draw = draw_waterfall}};

}  // namespace
}  // namespace bench
