#include <array>

#include "dashboards/chart.h"
#include "dashboards/numbers.h"

namespace bench {
namespace {

struct Latency {
  const char* title;
  const char* median;
  const char* p95;
  const char* p99;
};

constexpr std::array kLatencies{
    Latency{"time to first token", "ttft_s", "ttft_p95_s", "ttft_p99_s"},
    Latency{"time per output token", "tpot_s", "tpot_p95_s", "tpot_p99_s"},
    Latency{"gap between tokens", "itl_s", "itl_p95_s", "itl_p99_s"}};

PlotPoint point_of(const PointSummary& point, const std::string& variant, const Latency& latency,
                   double x) {
  PlotPoint p = metric_point(point, variant, {latency.median, 1e3, " ms"}, x);
  const CaseSummary* c = find_variant(point, variant);
  if (c == nullptr || !p.y) return p;
  p.low = p.y;
  p.high = std::nullopt;
  for (const auto& [name, words] :
       {std::pair{latency.p95, "95th"}, std::pair{latency.p99, "99th"}}) {
    const auto value = c->metric(name);
    if (!value) continue;
    p.high = *value * 1e3;
    p.note += format(", {} percentile {} ms", words, milliseconds(*value));
  }
  return p;
}

bool has(const WorkloadSummary& workload, const char* metric) {
  for (const PointSummary& p : workload.points) {
    for (const CaseSummary& c : p.cases) {
      if (c.metric(metric)) return true;
    }
  }
  return false;
}

// Of the live server, along the first axis of the workload.
void draw_latency(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    if (workload.axes.empty() || !has(workload, "ttft_s")) continue;
    const std::string& axis = workload.axes.front();
    for (const auto& [held, points] : lines_along(workload, axis)) {
      for (const Latency& latency : kLatencies) {
        if (!has(workload, latency.median)) continue;
        Plot plot{.title = title_of(workload, held) + ": " + latency.title,
                  .caption = "Marks: the median request. Bars reach up to the 99th percentile.",
                  .x = {.title = axis, .log = true, .counts = true},
                  .y = {.title = "ms", .log = true}};
        for (const std::string& variant : workload.variants) {
          PlotSeries s{.name = variant, .look = input.variants.of(variant)};
          for (const PointSummary* p : points)
            s.points.push_back(point_of(*p, variant, latency, number_of(p->parameters, axis)));
          plot.series.push_back(std::move(s));
        }
        draw(plot, page);
      }
    }
  }
}

const Register<ChartKind> kLatencyChart{{.order = 90, .name = "latency", .draw = draw_latency}};

}  // namespace
}  // namespace bench
