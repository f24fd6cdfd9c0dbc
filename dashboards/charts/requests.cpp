#include <algorithm>
#include <array>

#include "dashboards/chart.h"
#include "dashboards/numbers.h"
#include "dashboards/request_chart.h"
#include "harness/statistics.h"

namespace bench {
namespace {

constexpr std::array kShares{0.0, 0.01, 0.02, 0.05, 0.1,  0.2,  0.3,  0.4,   0.5,
                             0.6, 0.7,  0.8,  0.9,  0.95, 0.98, 0.99, 0.995, 1.0};

// What the requests of all replicates of a case took.
struct Times {
  std::vector<double> ttft, tpot, gaps;
};

struct Kind {
  const char* title;
  const char* of;  // what each value belongs to
  std::vector<double> Times::*values;
};
constexpr std::array kKinds{Kind{"time to first token", "requests", &Times::ttft},
                            Kind{"time per output token", "requests", &Times::tpot},
                            Kind{"gaps between tokens", "gaps", &Times::gaps}};

Times times_of(const CaseSummary& c, const ReadRequests& read) {
  Times times;
  for (const Measurement* m : c.measurements) {
    if (m->status != Status::ok) continue;
    const PassTrace pass = read(*m);
    times.gaps.insert(times.gaps.end(), pass.gaps_s.begin(), pass.gaps_s.end());
    for (const RequestTrace& r : pass.requests) {
      if (r.warm_up) continue;
      if (r.ttft_s) times.ttft.push_back(*r.ttft_s);
      if (r.tpot_s) times.tpot.push_back(*r.tpot_s);
    }
  }
  return times;
}

// Share of the values at or below x, at a few shares: the least and the largest value among them.
PlotSeries distribution(const std::string& name, std::size_t look, const char* of,
                        std::vector<double> values) {
  std::ranges::sort(values);
  PlotSeries s{.name = name, .look = look};
  for (const double share : kShares) {
    const double value = percentile(values, share);
    s.points.push_back(
        {.x = value * 1e3,
         .y = share * 100,
         .note = format("{}: {} % of {} {} within {} ms", name, significant(share * 100, 3),
                        values.size(), of, milliseconds(value))});
  }
  return s;
}

struct Named {
  std::string name;
  Times times;
};

void draw_distributions(const std::string& title, const std::vector<Named>& cases, Html& page) {
  for (const Kind& kind : kKinds) {
    Plot plot{.title = title + ": distribution of the " + kind.title,
              .caption = "Share of all " + std::string(kind.of) +
                         " that took this long or less. The further left and the steeper, the "
                         "better.",
              .x = {.title = std::string(kind.title) + ", ms", .log = true},
              .y = {.title = "% of " + std::string(kind.of), .from_zero = true}};
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::vector<double>& values = cases[i].times.*kind.values;
      if (values.size() > 1) plot.series.push_back(distribution(cases[i].name, i, kind.of, values));
    }
    if (!plot.series.empty()) draw(plot, page);
  }
}

// The first replicate that stored its requests.
void draw_timeline(const std::string& title, const CaseSummary& c, const ReadRequests& read,
                   Html& page) {
  for (const Measurement* m : c.measurements) {
    const PassTrace pass = read(*m);
    if (pass.requests.empty()) continue;
    return draw_in_flight(format("{}, replicate {}: requests in flight", title, m->replicate), pass,
                          page);
  }
}

void draw_requests(const ChartInput& input, Html& page) {
  if (!input.read_requests) return;
  for (const WorkloadSummary& workload : input.summary.workloads) {
    if (workload.runner != "http" || workload.axes.empty()) continue;
    const std::string& axis = workload.axes.front();
    for (const auto& [held, points] : lines_along(workload, axis)) {
      for (const std::string& variant : workload.variants) {
        const std::string title = title_of(workload, held) + ", " + variant;
        std::vector<Named> cases;
        for (const PointSummary* p : points) {
          const CaseSummary* c = find_variant(*p, variant);
          if (c != nullptr && c->status)
            cases.push_back({label(p->parameters, {axis}), times_of(*c, input.read_requests)});
        }
        draw_distributions(title, cases, page);
        const CaseSummary* last = find_variant(*points.back(), variant);
        if (last != nullptr)
          draw_timeline(title + ", " + label(points.back()->parameters, {axis}), *last,
                        input.read_requests, page);
      }
    }
  }
}

const Register<ChartKind> kRequestsChart{{.order = 100, .name = "requests", .draw = draw_requests}};

}  // namespace
}  // namespace bench
