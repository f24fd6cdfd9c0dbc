#pragma once

#include <string>
#include <vector>

#include "dashboards/html.h"
#include "dashboards/report.h"

namespace bench {

// What the pages share, in the order it stands on them.

// Links to the sections of the page, whose ids are the names in lower case.
void draw_navigation(const std::vector<std::string>& names, Html& page);
// A figure with what it is, and where to read on: the fragment or file `link`; empty: nowhere.
struct Tile {
  std::string figure;
  std::string label;
  std::string link{};
};
void draw_tiles(const std::vector<Tile>& tiles, Html& page);

void draw_warnings(const std::vector<std::string>& warnings, Html& page);
void draw_definitions(Html& page);  // of every metric, with their versions
void draw_footer(const std::string& generated, Html& page);

// "run 12 of 2026-11-29 21:00:00 UTC, tagged before-fix"
std::string run_text(const RunFacts& run);

}  // namespace bench
