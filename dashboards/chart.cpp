#include "dashboards/chart.h"

#include <algorithm>
#include <variant>

#include "dashboards/numbers.h"

namespace bench {
namespace {

// Panels of a chart: all where a workload is small, but a page of 500 cases must stay readable.
constexpr std::size_t kFewestPanels = 3, kPanelCases = 600;

std::vector<AxisLine> few_of(std::vector<AxisLine> lines, std::size_t cases) {
  const std::size_t most = std::max(kFewestPanels, kPanelCases / std::max<std::size_t>(cases, 1));
  if (lines.size() <= most) return lines;
  std::vector<AxisLine> few;
  for (std::size_t i = 0; i < most; ++i)
    few.push_back(std::move(lines[i * (lines.size() - 1) / (most - 1)]));
  return few;
}

// A point with the median and the range of `values`, or a gap that says why there are none.
PlotPoint point_of(const CaseSummary& c, std::vector<double> values, double x,
                   const std::string& unit) {
  PlotPoint p{.x = x};
  if (values.empty()) {
    p.note = c.status == Status::ok ? "not measured" : c.status_word() + ", " + c.reason;
    return p;
  }
  p.y = median(values);
  p.note = significant(*p.y) + unit;
  if (values.size() < 2) return p;
  const auto [low, high] = std::ranges::minmax(values);
  p.low = low;
  p.high = high;
  p.note +=
      format(" ({} to {} over {} replicates)", significant(low), significant(high), values.size());
  return p;
}

}  // namespace

std::vector<AxisLine> lines_along(const WorkloadSummary& workload, const std::string& axis) {
  std::vector<AxisLine> lines;
  std::vector<std::string> others = workload.axes;
  if (std::erase(others, axis) == 0) return lines;
  for (const PointSummary& p : workload.points) {
    const std::string held = label(p.parameters, others);
    auto found = std::ranges::find(lines, held, &AxisLine::held);
    if (found == lines.end()) found = lines.insert(found, {held, {}});
    found->points.push_back(&p);
  }
  std::erase_if(lines, [](const AxisLine& line) { return line.points.size() < 2; });
  const ParameterInfo* info = find_parameter(axis);
  for (AxisLine& line : lines) {
    std::ranges::stable_sort(line.points, {},
                             [&](const PointSummary* p) { return info->get(p->parameters); });
  }
  return few_of(std::move(lines), workload.points.size() * workload.variants.size());
}

double number_of(const Parameters& parameters, const std::string& axis) {
  const ParameterInfo* info = find_parameter(axis);
  if (info == nullptr) return 0;
  const ParameterValue value = info->get(parameters);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&value);
  return real == nullptr ? 0 : *real;
}

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

std::string title_of(const WorkloadSummary& workload, const std::string& held) {
  return held.empty() ? workload.name : workload.name + ", " + held;
}

PlotPoint metric_point(const PointSummary& point, const std::string& variant,
                       const MetricView& metric, double x) {
  const CaseSummary* c = find_variant(point, variant);
  if (c == nullptr) return {.x = x, .note = variant + ", " + point.label + ": not planned"};
  std::vector<double> values;
  for (const Measurement* m : c->measurements) {
    const auto value = m->metric(metric.name);
    if (m->status == Status::ok && c->tpot_s && value) values.push_back(*value * metric.scale);
  }
  PlotPoint p = point_of(*c, std::move(values), x, metric.unit);
  p.note = variant + ", " + point.label + ": " + p.note;
  return p;
}

PlotPoint output_rate_point(const PointSummary& point, const std::string& variant, double x) {
  const MetricView measured{"output_tokens_per_s", 1, " tok/s"};
  const CaseSummary* c = find_variant(point, variant);
  if (c == nullptr || c->what.runner == "http" || c->metric(measured.name))
    return metric_point(point, variant, measured, x);
  std::vector<double> values;
  for (const ReplicateTime& r : c->replicates)
    values.push_back(static_cast<double>(point.parameters.concurrency) / r.tpot_s);
  PlotPoint p = point_of(*c, std::move(values), x, measured.unit);
  p.note = variant + ", " + point.label + ": " + p.note;
  return p;
}

std::optional<double> output_rate_per_gpu(const CaseSummary& c) {
  if (const auto measured = c.metric("output_tokens_per_s_per_gpu")) return measured;
  if (c.what.runner == "http" || !c.tpot_s) return std::nullopt;
  const Parameters& p = c.what.parameters;
  return static_cast<double>(p.concurrency) / *c.tpot_s / static_cast<double>(p.tensor_parallel);
}

PlotPoint tpot_point(const PointSummary& point, const std::string& variant, double x) {
  const CaseSummary* c = find_variant(point, variant);
  if (c == nullptr) return {.x = x, .note = variant + ", " + point.label + ": not planned"};
  std::vector<double> values;
  for (const ReplicateTime& r : c->replicates) values.push_back(r.tpot_s * 1e3);
  PlotPoint p = point_of(*c, std::move(values), x, " ms");
  p.note = variant + ", " + point.label + ": " + p.note;
  return p;
}

}  // namespace bench
