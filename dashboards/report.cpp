#include "dashboards/report.h"

#include <algorithm>
#include <map>

#include "dashboards/case_table.h"
#include "dashboards/chart.h"
#include "dashboards/figure.h"
#include "dashboards/numbers.h"
#include "dashboards/page.h"
#include "dashboards/sections.h"
#include "dashboards/summary.h"
#include "dashboards/text.h"
#include "dashboards/warnings.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

// The same colour and shape of a variant or a stage in every chart.
struct LooksOfPage {
  explicit LooksOfPage(const RunSummary& summary) {
    for (const WorkloadSummary& workload : summary.workloads) {
      for (const std::string& variant : workload.variants) variants.of(variant);
    }
  }
  Looks variants;
  Looks stages;
};

// The figures behind the headline.
std::vector<Tile> tiles_of(const Headline& found) {
  if (found.winner == nullptr || !found.winner->tpot_s) return {};
  const CaseSummary& winner = *found.winner;
  const CaseSummary* baseline = find_variant(*found.point, found.workload->baseline);
  if (baseline == nullptr || !baseline->tpot_s) return {};
  std::vector<Tile> tiles{
      {change_text(winner.change->ratio), winner.variant() + " against " + baseline->variant(),
       "#case=" + slug(found.workload->name) + "-" + winner.case_id},
      {milliseconds(*baseline->tpot_s) + " \u2192 " + milliseconds(*winner.tpot_s) + " ms",
       "TPOT" + (found.point->label.empty() ? "" : ", " + found.point->label)}};
  if (winner.saving) {
    const auto& predicted = winner.saving->predicted_s;
    tiles.push_back(
        {milliseconds(winner.saving->achieved_s) + " ms",
         predicted ? "saved a token; bytes predict " + milliseconds(*predicted) : "saved a token"});
  }
  const auto largest = std::ranges::max_element(baseline->stages, {}, &StageSummary::seconds);
  if (largest != baseline->stages.end())
    tiles.push_back({percent_of(shown_ms(largest->seconds) / shown_ms(*baseline->tpot_s)),
                     format("of {}'s step is {}", baseline->variant(), largest->stage)});
  return tiles;
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
  return count.empty() ? "none" : format("{}", join(parts, ", "));
}

// The headline, or, where nothing was compared, from where to where TPOT went.
std::string top_sentence(const RunSummary& summary, const Headline& found) {
  if (found.winner != nullptr) return sentence(found);
  std::vector<std::pair<double, std::string>> times;
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const PointSummary& point : workload.points) {
      for (const CaseSummary& c : point.cases) {
        const std::string& where = point.label.empty() ? c.variant() : point.label;
        if (c.tpot_s) times.emplace_back(*c.tpot_s, place_text(workload.name, where));
      }
    }
  }
  if (times.empty()) return format("No case of this run has a speed: {}.", counts(summary));
  const auto [low, high] = std::ranges::minmax_element(times);
  std::string text = format("TPOT {} ms, {} tok/s a user, at {}", milliseconds(low->first),
                            tokens_per_s(low->first), low->second);
  if (low != high) text += format("; {} ms at {}", milliseconds(high->first), high->second);
  return text + ".";
}

void draw_top(const RunFacts& run, const RunSummary& summary, Html& page) {
  page.open("header");
  page.element("h1", run.name.empty() ? "bench report" : run.name);
  const Headline found = headline(summary);
  page.element("p", top_sentence(summary, found), {{"class", "headline"}});
  draw_tiles(tiles_of(found), page);
  page.element("p", run_text(run), {{"class", "facts"}});
  if (!run.notes.empty()) page.element("p", run.notes);
  std::vector<std::string> warnings = run.warnings;
  for (std::string& warning : trust_warnings(summary)) warnings.push_back(std::move(warning));
  draw_warnings(warnings, page);
  page.close().line();
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
  std::string arguments;  // of a server: often hundreds
  for (const Fact& fact : report.run.environment) {
    const bool argument = fact.name.starts_with("server.") && fact.name != "server.version";
    if (!argument) page.element("dt", fact.name).element("dd", fact.value);
    if (argument) arguments += format("{}={}\n", fact.name.substr(7), fact.value);
  }
  page.close();
  if (!arguments.empty()) {
    page.open("details")
        .element("summary", "Arguments of the server")
        .element("pre", arguments)
        .close();
  }
  page.close().line();
}

// Up to the end of the first of them; all of it where there is none.
std::string first_figure(const std::string& html) {
  const std::string_view end = "</figure>";
  const std::size_t at = html.find(end);
  return at == std::string::npos ? html : html.substr(0, at + end.size());
}

// Of the workload that the headline speaks of, the first figure of each chart that is for this.
void draw_glance(const RunReport& report, const RunSummary& summary, LooksOfPage& looks,
                 Html& page) {
  const Headline found = headline(summary);
  if (found.workload == nullptr) return;
  const RunSummary one{summary.copy_bytes_per_s, {*found.workload}};
  std::string figures;
  for (const ChartKind& chart : Registry<ChartKind>::all()) {
    if (!chart.at_a_glance) continue;
    Html part;
    chart.draw({one, looks.variants, looks.stages, report.read_requests}, part);
    figures += first_figure(part.take());
  }
  if (figures.empty()) return;
  page.open("section").element("h2", "At a glance").open("div", {{"class", "charts glance"}});
  page.markup(figures).close().close().line();
}

void draw_charts(const RunReport& report, const RunSummary& summary, LooksOfPage& looks,
                 Html& page) {
  page.open("section", {{"id", "charts"}}).element("h2", "Charts").line();
  page.element(
      "p",
      "Where a workload combines many axes, charts take a few lines spread over them; the table "
      "has every case.",
      {{"class", "facts"}});
  page.open("div", {{"class", "charts"}});
  for (const ChartKind& chart : Registry<ChartKind>::all())
    chart.draw({summary, looks.variants, looks.stages, report.read_requests}, page);
  page.close();
  draw_fits(summary, page);
  page.close().line();
}

}  // namespace

RunSummary summarize(const RunReport& report) {
  return summarize(report.workloads, report.measurements, report.copy_bytes_per_s);
}

std::string report_html(const RunReport& report) { return report_html(report, summarize(report)); }

std::string report_html(const RunReport& report, const RunSummary& summary) {
  Html page;
  draw_top(report.run, summary, page);
  draw_navigation({"Cases", "Charts", "Environment", "Definitions"}, page);
  page.open("main").line();
  draw_mark_shapes(page);
  LooksOfPage looks(summary);
  draw_glance(report, summary, looks, page);
  page.open("section", {{"id", "cases"}})
      .element("h2", "Cases")
      .element("p", "Cases: " + counts(summary) + ".")
      .line();
  draw_case_table(summary, report.repeat_command, page);
  page.close().line();
  draw_charts(report, summary, looks, page);
  draw_environment(report, page);
  draw_definitions(page);
  page.close().line();
  draw_footer(report.generated, page);
  return whole_page(report.run.name.empty() ? "bench report" : "bench: " + report.run.name,
                    page.take());
}

}  // namespace bench
