#include "dashboards/compare_report.h"

#include <map>

#include "dashboards/compare_chart.h"
#include "dashboards/compare_table.h"
#include "dashboards/compared_runs.h"
#include "dashboards/figure.h"
#include "dashboards/page.h"
#include "dashboards/sections.h"
#include "dashboards/verdict_sentence.h"
#include "dashboards/warnings.h"
#include "harness/format.h"

namespace bench {
namespace {

void add_warnings(const std::string& side, const RunReport& run, const RunSummary& summary,
                  std::vector<std::string>& all) {
  for (const std::string& w : run.run.warnings) all.push_back(format("{}: {}", side, w));
  for (const std::string& w : trust_warnings(summary)) all.push_back(format("{}: {}", side, w));
}

void draw_means(const Comparison& comparison, Html& page) {
  for (const MeanRatio& mean : comparison.means) {
    page.element("p",
                 format("Geometric mean of {}{}: {} over {} cases.", mean.metric,
                        mean.variant.empty() ? "" : " of " + mean.variant, ratio_text(mean.ratio),
                        mean.cases),
                 {{"class", "facts"}});
  }
}

// How many rows have each word, with a link to them.
std::vector<Tile> tiles_of(const Comparison& comparison) {
  std::vector<Tile> tiles;
  for (const Word word : kWordOrder) {
    const auto count = comparison.count(word);
    const std::string name(to_string(word));
    if (count > 0)
      tiles.push_back({format("{} {}", look_of(word).shape, count), name, "#verdict=" + name});
  }
  return tiles;
}

void draw_top(const ComparedRuns& runs, Html& page) {
  const CompareReport& report = runs.report;
  const WordLook look = look_of(worst_word(report.comparison));
  page.open("header", {{"class", std::string(look.css)}});
  page.element("h1", format("{}: run {} against {}", report.candidate.run.name,
                            report.candidate.run.id, report.baseline.run.id));
  page.element("p", verdict_sentence(report.comparison),
               {{"class", "headline v"}, {"data-s", std::string(look.shape)}});
  draw_tiles(tiles_of(report.comparison), page);
  page.element("p", "Candidate: " + run_text(report.candidate.run), {{"class", "facts"}});
  page.element("p", "Baseline: " + run_text(report.baseline.run), {{"class", "facts"}});
  for (const RunReport* side : {&report.candidate, &report.baseline}) {
    if (!side->run.notes.empty()) page.element("p", side->run.notes);
  }
  draw_means(report.comparison, page);
  std::vector<std::string> warnings;
  if (!report.comparison.marked.empty())
    warnings.push_back("not like for like: " + report.comparison.marked);
  add_warnings("candidate", report.candidate, runs.after, warnings);
  add_warnings("baseline", report.baseline, runs.before, warnings);
  draw_warnings(warnings, page);
  page.close().line();
}

// Of both sides, the facts that differ first and marked.
void draw_environment(const CompareReport& report, Html& page) {
  std::map<std::string, std::pair<std::string, std::string>> facts;
  for (const Fact& f : report.baseline.run.environment) facts[f.name].first = f.value;
  for (const Fact& f : report.candidate.run.environment) facts[f.name].second = f.value;
  facts["command"] = {report.baseline.run.command, report.candidate.run.command};
  page.open("section", {{"id", "environment"}}).element("h2", "Environment");
  page.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", "Environment of both runs"}})
      .open("table")
      .open("thead")
      .open("tr");
  for (const char* title : {"Fact", "Baseline", "Candidate", "Compared"})
    page.element("th", title, {{"scope", "col"}});
  page.close().close().open("tbody");
  for (const bool differing : {true, false}) {
    for (const auto& [name, values] : facts) {
      if ((values.first != values.second) != differing) continue;
      page.open("tr", {{"class", differing ? "differs" : ""}})
          .element("td", name)
          .element("td", values.first.empty() ? "absent" : values.first);
      page.element("td", values.second.empty() ? "absent" : values.second)
          .element("td", differing ? "\u2260 differs" : "same")
          .close();
    }
  }
  page.close().close().close().close().line();
}

}  // namespace

std::string compare_html(const CompareReport& report) {
  const ComparedRuns runs = compared_runs(report);
  Html page;
  draw_top(runs, page);
  draw_navigation({"Cases", "Charts", "Environment", "Definitions"}, page);
  page.open("main").line();
  page.open("section", {{"id", "cases"}}).element("h2", "Cases").line();
  draw_mark_shapes(page);
  draw_compare_table(runs, page);
  page.close().line();
  page.open("section", {{"id", "charts"}}).element("h2", "Charts").line();
  page.open("div", {{"class", "charts"}});
  Looks looks;
  for (const CompareChartKind& chart : Registry<CompareChartKind>::all())
    chart.draw(runs, looks, page);
  page.close().close().line();
  draw_environment(report, page);
  draw_definitions(page);
  page.close().line();
  draw_footer(report.generated, page);
  return whole_page("bench: " + report.candidate.run.name + " compared", page.take());
}

}  // namespace bench
