#include "dashboards/chart.h"

#include <algorithm>

#include "dashboards/numbers.h"

namespace bench {

std::map<std::string, std::vector<const PointSummary*>> lines_along(const WorkloadSummary& workload,
                                                                    const std::string& axis) {
  std::map<std::string, std::vector<const PointSummary*>> lines;
  std::vector<std::string> others = workload.axes;
  if (std::erase(others, axis) == 0) return lines;
  const ParameterInfo* info = find_parameter(axis);
  for (const PointSummary& p : workload.points) lines[label(p.parameters, others)].push_back(&p);
  for (auto& [held, points] : lines) {
    std::ranges::stable_sort(points, {},
                             [&](const PointSummary* p) { return info->get(p->parameters); });
  }
  std::erase_if(lines, [](const auto& line) { return line.second.size() < 2; });
  return lines;
}

PlotPoint tpot_point(const PointSummary& point, const std::string& variant, double x) {
  PlotPoint p{.x = x, .note = variant + ", " + point.label + ": "};
  const CaseSummary* c = find_variant(point, variant);
  if (c == nullptr) {
    p.note += "not planned";
    return p;
  }
  if (!c->tpot_s) {
    p.note += c->status_word() + ", " + c->reason;
    return p;
  }
  p.y = *c->tpot_s * 1e3;
  p.note += milliseconds(*c->tpot_s) + " ms";
  if (c->replicates.size() < 2) return p;
  const auto [low, high] = std::ranges::minmax(c->replicates, {}, &ReplicateTime::tpot_s);
  p.low = low.tpot_s * 1e3;
  p.high = high.tpot_s * 1e3;
  p.note += format(" ({} to {} over {} replicates)", milliseconds(low.tpot_s),
                   milliseconds(high.tpot_s), c->replicates.size());
  return p;
}

}  // namespace bench
