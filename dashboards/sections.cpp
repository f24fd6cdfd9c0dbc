#include "dashboards/sections.h"

#include <algorithm>
#include <cctype>

#include "harness/format.h"
#include "results/result.h"

namespace bench {

void draw_navigation(const std::vector<std::string>& names, Html& page) {
  page.open("nav", {{"aria-label", "Sections"}});
  for (const std::string& name : names) {
    std::string id = name;
    std::ranges::transform(id, id.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    page.element("a", name, {{"href", "#" + id}});
  }
  page.close().line();
}

void draw_tiles(const std::vector<Tile>& tiles, Html& page) {
  if (tiles.empty()) return;
  page.open("ul", {{"class", "tiles"}});
  for (const Tile& tile : tiles) {
    page.open("li").element("b", tile.figure);
    if (tile.link.empty()) {
      page.text(tile.label);
    } else {
      page.element("a", tile.label, {{"href", tile.link}});
    }
    page.close();
  }
  page.close();
}

void draw_warnings(const std::vector<std::string>& warnings, Html& page) {
  if (warnings.empty()) return;
  page.open("ul", {{"class", "warnings"}, {"aria-label", "Warnings"}});
  for (const std::string& warning : warnings) page.element("li", warning);
  page.close();
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

void draw_footer(const std::string& generated, Html& page) {
  page.element("footer", format("Written by bench, {}. This page loads nothing and sends nothing.",
                                generated));
}

std::string run_text(const RunFacts& run) {
  std::string text = format("run {} of {}", run.id, run.started);
  return run.tag.empty() ? text : text + ", tagged " + run.tag;
}

}  // namespace bench
