#include "results/relative.h"

#include <algorithm>

namespace bench {
namespace {

Measurement scaled(Measurement m, const std::string& metric, double factor) {
  for (Metric& one : m.metrics) {
    if (one.name == metric) one.value *= factor;
  }
  if (metric != "tpot_s") return m;
  for (StageResult& stage : m.stages) stage.seconds *= factor;
  return m;
}

}  // namespace

RelativeSide::RelativeSide(const Side& side, const Reading& control, const std::string& metric,
                           double level)
    : side_{.planned = side.planned, .measurements = {}} {
  for (const Measurement* m : side.measurements) {
    const auto same = std::ranges::find(control.replicates, m->replicate);
    if (same == control.replicates.end()) continue;
    const double value =
        control.values[static_cast<std::size_t>(same - control.replicates.begin())];
    measurements_.push_back(scaled(*m, metric, level / value));
  }
  for (const Measurement& m : measurements_) side_.measurements.push_back(&m);
}

}  // namespace bench
