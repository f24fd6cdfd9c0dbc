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

void add_warnings(const std::string& name, const CompareSide& side, std::vector<std::string>& all) {
  for (const std::string& w : side.report.run.warnings) all.push_back(format("{}: {}", name, w));
  for (const std::string& w : trust_warnings(side.summary))
    all.push_back(format("{}: {}", name, w));
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
  const Comparison& comparison = runs.comparison;
  const RunFacts& baseline = runs.before.report.run;
  const RunFacts& candidate = runs.after.report.run;
  const WordLook look = look_of(worst_word(comparison));
  page.open("header", {{"class", std::string(look.css)}});
  page.element("h1", format("{}: run {} against {}", candidate.name, candidate.id, baseline.id));
  page.element("p", verdict_sentence(comparison),
               {{"class", "headline v"}, {"data-s", std::string(look.shape)}});
  draw_tiles(tiles_of(comparison), page);
  page.element("p", "Candidate: " + run_text(candidate), {{"class", "facts"}});
  page.element("p", "Baseline: " + run_text(baseline), {{"class", "facts"}});
  for (const RunFacts* side : {&candidate, &baseline}) {
    if (!side->notes.empty()) page.element("p", side->notes);
  }
  draw_means(comparison, page);
  std::vector<std::string> warnings;
  if (!comparison.marked.empty()) warnings.push_back("not like for like: " + comparison.marked);
  add_warnings("candidate", runs.after, warnings);
  add_warnings("baseline", runs.before, warnings);
  draw_warnings(warnings, page);
  page.close().line();
}

// Of both sides, the facts that differ first and marked.
void draw_environment(const RunFacts& baseline, const RunFacts& candidate, Html& page) {
  std::map<std::string, std::pair<std::string, std::string>> facts;
  for (const Fact& f : baseline.environment) facts[f.name].first = f.value;
  for (const Fact& f : candidate.environment) facts[f.name].second = f.value;
  facts["command"] = {baseline.command, candidate.command};
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
  const RunSummary before = summarize(report.baseline);
  const RunSummary after = summarize(report.candidate);
  return compare_html({report.baseline, before}, {report.candidate, after}, report.comparison);
}

std::string compare_html(const CompareSide& baseline, const CompareSide& candidate,
                         const Comparison& comparison) {
  const ComparedRuns runs = compared_runs(baseline, candidate, comparison);
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
  draw_environment(baseline.report.run, candidate.report.run, page);
  draw_definitions(page);
  page.close().line();
  draw_footer(candidate.report.generated, page);
  return whole_page("bench: " + candidate.report.run.name + " compared", page.take());
}

}  // namespace bench
