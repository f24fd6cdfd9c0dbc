#include "dashboards/nights.h"

#include <algorithm>

#include "dashboards/compared_runs.h"
#include "dashboards/figure.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr double kNightsWidth = 1120, kNightsNameRoom = 120, kNightsRow = 26, kNightsTop = 4,
                 kAxis = 24;
constexpr std::size_t kMostRuns = 120;  // of a row, the newest
constexpr double kLeastPitch = 9;

// The shape of a word among the marks of figure.h: up good, down bad, a square for neither shown,
// a plus for what could not be judged, a circle unchanged.
std::size_t shape_of(const SiteRun& run) {
  if (!run.worst) return 3;
  switch (*run.worst) {
    case Word::improved:
      return 2;
    case Word::regressed:
      return 4;
    case Word::unchanged:
      return 0;
    case Word::inconclusive:
      return 1;
    case Word::missing:
    case Word::invalid:
      break;
  }
  return 5;
}

struct NightLine {
  std::string name;
  std::vector<const SiteRun*> runs;  // oldest first
};

std::vector<NightLine> lines_of(const Site& site) {
  std::vector<NightLine> lines;
  for (const SiteRun& run : site.runs) {
    auto found = std::ranges::find(lines, run.run.name, &NightLine::name);
    if (found == lines.end()) found = lines.insert(found, {run.run.name, {}});
    if (found->runs.size() < kMostRuns) found->runs.push_back(&run);
  }
  for (NightLine& line : lines) std::ranges::reverse(line.runs);
  return lines;
}

void draw_night_line(const NightLine& line, double pitch, double y, Html& page) {
  draw_text(line.name, "name", kNightsNameRoom - 10, y + 4.5, Anchor::end, page);
  double x = kNightsNameRoom + pitch / 2;
  for (const SiteRun* run : line.runs) {
    const std::string css = run->worst ? std::string(look_of(*run->worst).css) : "none";
    std::string note = format("run {}, {}", run->run.id, run->run.started.substr(0, 10));
    if (run->pinned) note += ", pinned baseline";
    if (run->status != "complete") note += ", " + run->status;
    note += ": " + (run->verdict.empty() ? "not compared" : run->verdict);
    page.open("g", {{"class", "change " + css}});
    draw_mark(shape_of(*run), x, y, note, page);
    page.close();
    if (run->pinned)
      page.empty("path", {{"class", "pin"}, {"d", format("M{} {}v4", px(x), px(y + 7))}});
    x += pitch;
  }
}

void draw_dates(const NightLine& line, double pitch, double y, Html& page) {
  double free_from = 0;
  double x = kNightsNameRoom + pitch / 2;
  for (const SiteRun* run : line.runs) {
    const std::string date = run->run.started.substr(0, 10);
    if (x >= free_from && x + 40 < kNightsWidth) {
      draw_text(date.size() == 10 ? date.substr(5) : date, "tick", x, y, Anchor::middle, page);
      free_from = x + 90;
    }
    x += pitch;
  }
}

}  // namespace

void draw_nights(const Site& site, Html& page) {
  const std::vector<NightLine> lines = lines_of(site);
  if (lines.empty()) return;
  std::size_t most = 1;
  for (const NightLine& line : lines) most = std::max(most, line.runs.size());
  const double pitch = std::clamp((kNightsWidth - kNightsNameRoom) / static_cast<double>(most),
                                  kLeastPitch / 2, 24.0);
  const double height = kNightsTop + kNightsRow * static_cast<double>(lines.size()) + kAxis;
  const std::string title = "The worst verdict of each run";
  open_figure(title, title + ", oldest at the left", height, page, kNightsWidth);
  double y = kNightsTop + kNightsRow / 2;
  for (const NightLine& line : lines) {
    draw_night_line(line, pitch, y, page);
    y += kNightsRow;
  }
  draw_dates(*std::ranges::max_element(lines, {}, [](const NightLine& l) { return l.runs.size(); }),
             pitch, y, page);
  close_figure({},
               "Triangle down: something regressed, up: improved; circle: unchanged; square: "
               "inconclusive; plus: something missing or invalid; diamond: not compared. A tick "
               "underneath: the pinned baseline.",
               page);
}

}  // namespace bench
