#include "dashboards/site.h"

#include <algorithm>

#include "dashboards/compared_runs.h"
#include "dashboards/figure.h"
#include "dashboards/nights.h"
#include "dashboards/page.h"
#include "dashboards/sections.h"
#include "dashboards/trend_table.h"
#include "harness/format.h"

namespace bench {
namespace {

WordLook look_of_run(const SiteRun& run) {
  return run.worst ? look_of(*run.worst) : WordLook{"\u2013", "none"};
}

// What the newest run says; the verdict of its comparison where there is one.
std::string newest_sentence(const Site& site) {
  if (site.runs.empty()) return "No run is stored.";
  const SiteRun& run = site.runs.front();
  if (!run.verdict.empty()) return run.verdict;
  return format("Run {} has no baseline to be compared with.", run.run.id);
}

void draw_run(const SiteRun& run, Html& page) {
  page.open("tr");
  page.open("td");
  if (run.page.empty()) {
    page.text(run.run.id);
  } else {
    page.element("a", run.run.id,
                 {{"href", run.page}, {"aria-label", "Report of run " + run.run.id}});
  }
  page.close();
  page.element("td", run.run.started).element("td", run.run.name);
  std::vector<std::string> marks;
  if (!run.run.tag.empty()) marks.push_back(run.run.tag);
  if (run.pinned) marks.emplace_back("pinned baseline");
  page.element("td", format("{}", join(marks, ", ")));
  const WordLook look = look_of_run(run);
  page.open("td", {{"class", "v " + std::string(look.css)}, {"data-s", std::string(look.shape)}});
  page.text(run.worst ? to_string(*run.worst) : "not compared").close();
  page.open("td").text(run.verdict);
  if (!run.compare_page.empty())
    page.text(" ").element("a", "Against " + run.against,
                           {{"href", run.compare_page},
                            {"aria-label", format("Run {} against {}", run.run.id, run.against)}});
  page.close();
  page.open("td").text(run.status);
  for (const std::string& warning : run.run.warnings) page.element("small", "\u26a0 " + warning);
  page.close().close().line();
}

void draw_runs(const Site& site, Html& page) {
  page.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", "Runs, newest first"}})
      .open("table", {{"class", "runs"}})
      .open("thead")
      .open("tr");
  for (const char* title : {"Run", "Started", "Configuration", "Tag", "Worst verdict",
                            "Against its baseline", "Status"}) {
    page.element("th", title, {{"scope", "col"}});
  }
  page.close().close().line().open("tbody").line();
  for (const SiteRun& run : site.runs) draw_run(run, page);
  page.close().close().close().line();
}

// How many trends the newest run has with each word, with a link to them.
std::vector<Tile> tiles_of(const Site& site) {
  std::vector<Tile> tiles;
  for (const Word word : kWordOrder) {
    const auto count = std::ranges::count_if(
        site.trends, [&](const Trend& t) { return t.verdict && t.verdict->word == word; });
    const std::string name(to_string(word));
    if (count > 0)
      tiles.push_back({format("{} {}", look_of(word).shape, count), name, "#verdict=" + name});
  }
  return tiles;
}

void draw_top(const Site& site, Html& page) {
  const WordLook look =
      site.runs.empty() ? WordLook{"\u2013", "none"} : look_of_run(site.runs.front());
  page.open("header", {{"class", std::string(look.css)}});
  page.element("h1", site.title);
  page.element("p", newest_sentence(site),
               {{"class", "headline v"}, {"data-s", std::string(look.shape)}});
  draw_tiles(tiles_of(site), page);
  if (!site.runs.empty()) {
    const SiteRun& newest = site.runs.front();
    page.open("p", {{"class", "facts"}}).text("Newest: " + run_text(newest.run) + ". ");
    if (!newest.page.empty()) page.element("a", "Its report", {{"href", newest.page}});
    if (!newest.compare_page.empty())
      page.text(", ").element("a", "against " + newest.against, {{"href", newest.compare_page}});
    page.close();
    draw_warnings(newest.run.warnings, page);
  }
  page.close().line();
}

}  // namespace

std::string site_html(const Site& site) {
  Html page;
  draw_top(site, page);
  draw_navigation({"Nights", "Trends", "Runs", "Definitions"}, page);
  page.open("main").line();
  draw_mark_shapes(page);
  page.open("section", {{"id", "nights"}}).element("h2", "Nights").line();
  draw_nights(site, page);
  page.element("h3", "Changes of level, the newest first");
  draw_changes(site.trends, page);
  page.close().line();
  page.open("section", {{"id", "trends"}}).element("h2", "Trends").line();
  draw_trend_table(site.trends, page);
  page.close().line();
  page.open("section", {{"id", "runs"}}).element("h2", "Runs").line();
  draw_runs(site, page);
  page.close().line();
  draw_definitions(page);
  page.close().line();
  draw_footer(site.generated, page);
  return whole_page(site.title, page.take());
}

}  // namespace bench
