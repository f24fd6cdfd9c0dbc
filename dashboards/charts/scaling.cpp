#include "dashboards/scaling.h"
#include "dashboards/chart.h"
#include "dashboards/numbers.h"

namespace bench {
namespace {

void draw_table(const WorkloadSummary& workload, const std::vector<ScalingSeries>& all,
                Html& page) {
  page.open("table", {{"class", "fits"}})
      .element("caption", workload.name + ": the step by the number of GPUs")
      .open("thead")
      .open("tr");
  for (const char* title :
       {"Step", "GPUs", "ms", "tok/s", "Efficiency", "All-reduce", "Skew of the ranks"}) {
    page.element("th", title, {{"scope", "col"}});
  }
  page.close().close().open("tbody");
  const auto share = [](const std::optional<double>& value) {
    return value ? percent_of(*value) : std::string("-");
  };
  for (const ScalingSeries& series : all) {
    for (const ScalingRow& row : series.rows) {
      page.open("tr").element("td", series.title).element("td", format("{}", row.ranks));
      page.element("td", milliseconds(row.tpot_s)).element("td", significant(row.tokens_per_s));
      page.element("td", percent_of(row.efficiency)).element("td", share(row.allreduce_share));
      page.element("td", share(row.skew)).close();
    }
  }
  page.close().close().line();
}

void draw_scaling(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    const std::vector<ScalingSeries> all = scaling_of(workload);
    if (all.empty()) continue;
    Plot plot{.title = workload.name + ": throughput against GPUs",
              .caption = "Slowest rank of each step; the table has efficiency and all-reduce.",
              .x = {.title = "GPUs", .log = true, .counts = true},
              .y = {.title = "output tok/s, all requests", .log = true}};
    for (const ScalingSeries& series : all) {
      PlotSeries line{.name = series.title, .look = input.variants.of(series.title)};
      for (const ScalingRow& row : series.rows) {
        line.points.push_back({.x = static_cast<double>(row.ranks),
                               .y = row.tokens_per_s,
                               .note = format("{}, {} GPUs: {} tok/s", series.title, row.ranks,
                                              significant(row.tokens_per_s))});
      }
      plot.series.push_back(std::move(line));
    }
    draw(plot, page);
    draw_table(workload, all, page);
  }
}

const Register<ChartKind> kScalingChart{{.order = 55, .name = "scaling", .draw = draw_scaling}};

}  // namespace
}  // namespace bench
