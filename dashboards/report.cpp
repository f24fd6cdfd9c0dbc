#include "dashboards/report.h"

#include <algorithm>
#include <map>

#include "dashboards/case_table.h"
#include "dashboards/chart.h"
#include "dashboards/numbers.h"
#include "dashboards/page.h"
#include "dashboards/summary.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

void draw_top(const RunReport& report, const RunSummary& summary, Html& page) {
  const RunFacts& run = report.run;
  page.open("header");
  page.element("h1", run.name.empty() ? "bench report" : run.name);
  page.element("p", sentence(headline(summary)), {{"class", "headline"}});
  page.open("p", {{"class", "facts"}});
  page.text(format("Run {} of {}", run.id, run.started));
  if (!run.tag.empty()) page.text(", tagged " + run.tag);
  page.close();
  if (!run.notes.empty()) page.element("p", run.notes);
  if (!run.warnings.empty()) {
    page.open("ul", {{"class", "warnings"}, {"aria-label", "Warnings"}});
    for (const std::string& warning : run.warnings) page.element("li", "\u26a0 " + warning);
    page.close();
  }
  page.close().line();
}

void draw_navigation(Html& page) {
  page.open("nav", {{"aria-label", "Sections"}});
  for (const char* name : {"Cases", "Charts", "Environment", "Definitions"}) {
    std::string id(name);
    id.front() = static_cast<char>(id.front() - 'A' + 'a');
    page.element("a", name, {{"href", "#" + id}});
  }
  page.close().line();
}

// "45 ok, 3 incorrect": nothing is left out silently.
std::string counts(const RunSummary& summary) {
  std::map<std::string, int> count;
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const PointSummary& point : workload.points) {
      for (const CaseSummary& c : point.cases) ++count[c.status_word()];
    }
  }
  std::vector<std::string> parts;
  parts.reserve(count.size());
  for (const auto& [word, n] : count) parts.push_back(format("{} {}", n, word));
  return format("Cases: {}.", join(parts, ", "));
}

void draw_fits(const RunSummary& summary, Html& page) {
  for (const WorkloadSummary& workload : summary.workloads) {
    if (workload.pool_fits.empty()) continue;
    page.open("table", {{"class", "fits"}})
        .element("caption", workload.name + ": a line through TPOT over pool size")
        .open("thead")
        .open("tr");
    for (const char* title :
         {"Variant", "Held", "ms per 1,000 tokens", "Smallest to largest pool", "R\u00b2"}) {
      page.element("th", title, {{"scope", "col"}});
    }
    page.close().close().open("tbody");
    for (const PoolFit& fit : workload.pool_fits) {
      page.open("tr").element("td", fit.variant).element("td", fit.held);
      page.element("td", significant(fit.line.slope * 1e6, 3))
          .element("td", fit.rise > 1 ? significant(1 + fit.rise, 3) + " x"
                                      : format("{:+.1f} %", fit.rise * 100));
      page.element("td", format("{:.4f}", fit.line.r2)).close();
    }
    page.close().close().line();
  }
}

void draw_environment(const RunReport& report, Html& page) {
  page.open("section", {{"id", "environment"}}).element("h2", "Environment").open("dl");
  if (!report.run.command.empty())
    page.element("dt", "command").open("dd").element("code", report.run.command).close();
  if (report.copy_bytes_per_s > 0) {
    page.element("dt", "copy bandwidth, measured")
        .element("dd", format_bandwidth(report.copy_bytes_per_s));
  }
  for (const Fact& fact : report.run.environment)
    page.element("dt", fact.name).element("dd", fact.value);
  page.close().close().line();
}

void draw_definitions(Html& page) {
  page.open("section", {{"id", "definitions"}}).element("h2", "Definitions").open("details");
  page.element("summary", "What every metric means").open("dl");
  for (const MetricInfo& metric : metric_table()) {
    page.element("dt", format("{} (version {})", metric.name, metric.version))
        .element("dd", metric.definition);
  }
  page.close().close().close().line();
}

void draw_charts(const RunSummary& summary, Html& page) {
  Looks variants;
  Looks stages;
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const std::string& variant : workload.variants) variants.of(variant);
  }
  page.open("section", {{"id", "charts"}}).element("h2", "Charts").line();
  draw_mark_shapes(page);
  page.open("div", {{"class", "charts"}});
  for (const ChartKind& chart : Registry<ChartKind>::all())
    chart.draw({summary, variants, stages}, page);
  page.close();
  draw_fits(summary, page);
  page.close().line();
}

}  // namespace

std::string report_html(const RunReport& report) {
  const RunSummary summary =
      summarize(report.workloads, report.measurements, report.copy_bytes_per_s);
  Html page;
  draw_top(report, summary, page);
  draw_navigation(page);
  page.open("main").line();
  page.open("section", {{"id", "cases"}})
      .element("h2", "Cases")
      .element("p", counts(summary))
      .line();
  draw_case_table(summary, report.repeat_command, page);
  page.close().line();
  draw_charts(summary, page);
  draw_environment(report, page);
  draw_definitions(page);
  page.close().line();
  page.element("footer", format("Written by bench, {}. This page loads nothing and sends nothing.",
                                report.generated));
  return whole_page(report.run.name.empty() ? "bench report" : "bench: " + report.run.name,
                    page.take());
}

}  // namespace bench
