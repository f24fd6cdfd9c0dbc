#include "dashboards/plot.h"

#include <algorithm>
#include <map>

#include "dashboards/axis.h"
#include "dashboards/figure.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr double kPlotHeight = 340, kPlotLeft = 62, kPlotTop = 12;
constexpr double kPlotRight = kFigureWidth - 14, kPlotBottom = kPlotHeight - 52;

struct PlotFrame {
  Scale x, y;
};

PlotFrame frame_of(const Plot& plot) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const PlotSeries& s : plot.series) {
    for (const PlotPoint& p : s.points) {
      xs.push_back(p.x);
      for (const auto& value : {p.y, p.low, p.high}) {
        if (value) ys.push_back(*value);
      }
    }
  }
  return {Scale(plot.x, xs, kPlotLeft, kPlotRight), Scale(plot.y, ys, kPlotBottom, kPlotTop)};
}

void draw_axes(const Plot& plot, const PlotFrame& frame, Html& page) {
  for (const Tick& t : frame.y.ticks()) {
    const double y = frame.y.at(t.value);
    page.empty("path", {{"class", "grid"},
                        {"d", format("M{} {}H{}", px(kPlotLeft), px(y), px(kPlotRight))}});
    draw_text(t.label, "tick", kPlotLeft - 6, y + 4.5, Anchor::end, page);
  }
  double free_from = 0;  // labels that would overlap are left out
  for (const Tick& t : frame.x.ticks()) {
    const double x = frame.x.at(t.value);
    const double half = static_cast<double>(t.label.size()) * kCharacterWidth / 2;
    page.empty("path", {{"class", "axis"}, {"d", format("M{} {}v5", px(x), px(kPlotBottom))}});
    if (x - half < free_from) continue;
    free_from = x + half + 4;
    draw_text(t.label, "tick", std::min(x, kFigureWidth - half), kPlotBottom + 19, Anchor::middle,
              page);
  }
  page.empty("path", {{"class", "axis"},
                      {"d", format("M{} {}V{}H{}", px(kPlotLeft), px(kPlotTop), px(kPlotBottom),
                                   px(kPlotRight))}});
  draw_text(plot.x.title, "name", (kPlotLeft + kPlotRight) / 2, kPlotHeight - 10, Anchor::middle,
            page);
  page.element(
      "text", plot.y.title,
      {{"class", "name"},
       {"transform", format("translate(14 {}) rotate(-90)", px((kPlotTop + kPlotBottom) / 2))},
       {"text-anchor", "middle"}});
}

void draw_line(const PlotSeries& s, const PlotFrame& frame, Html& page) {
  std::string path;
  bool pen_down = false;
  for (const PlotPoint& p : s.points) {
    const bool drawn = p.y && frame.x.shows(p.x) && frame.y.shows(*p.y);
    if (drawn) {
      path += format("{}{} {}", pen_down ? "L" : "M", px(frame.x.at(p.x)), px(frame.y.at(*p.y)));
    }
    pen_down = drawn;
  }
  if (path.empty()) return;
  const std::string dash = s.mark == Mark::dashed ? " dashed" : "";
  page.empty("path", {{"class", "ln " + look_class(s.look) + dash}, {"d", path}});
}

// Gaps of one x share one mark, whose note has a line for each.
void draw_gaps(const Plot& plot, const PlotFrame& frame, Html& page) {
  std::map<double, std::string> notes;
  for (const PlotSeries& s : plot.series) {
    for (const PlotPoint& p : s.points) {
      const bool gap = frame.x.shows(p.x) && (!p.y || !frame.y.shows(*p.y)) && !p.note.empty();
      if (gap) notes[p.x] += (notes[p.x].empty() ? "" : "; ") + p.note;
    }
  }
  for (const auto& [x, note] : notes) {
    page.open("text", {{"class", "gap"},
                       {"x", px(frame.x.at(x))},
                       {"y", px(kPlotBottom - 4)},
                       {"text-anchor", "middle"}});
    page.element("title", note).text("\u00d7").close();
  }
}

void draw_points(const PlotSeries& s, const PlotFrame& frame, Html& page) {
  for (const PlotPoint& p : s.points) {
    if (!frame.x.shows(p.x) || !p.y || !frame.y.shows(*p.y)) continue;
    const double x = frame.x.at(p.x);
    if (p.low && p.high && frame.y.shows(*p.low)) {
      const std::string low = px(frame.y.at(*p.low));
      const std::string high = px(frame.y.at(*p.high));
      page.empty("path", {{"class", "iv " + look_class(s.look)},
                          {"d", format("M{0} {1}V{2}m-3 0h6M{0} {1}m-3 0h6", px(x), low, high)}});
    }
    if (s.mark == Mark::line || s.mark == Mark::points)
      draw_mark(s.look, x, frame.y.at(*p.y), p.note, page);
  }
}

void draw_markers(const Plot& plot, const PlotFrame& frame, Html& page) {
  for (const PlotMarker& m : plot.markers) {
    const double x = frame.x.at(m.x);
    page.empty("path", {{"class", "marker"},
                        {"d", format("M{} {}V{}", px(x), px(kPlotTop), px(kPlotBottom))}});
    const bool right = x < (kPlotLeft + kPlotRight) / 2;
    draw_text(m.text, "tick", right ? x + 4 : x - 4, kPlotTop + 10,
              right ? Anchor::start : Anchor::end, page);
  }
}

std::vector<LegendEntry> legend_of(const Plot& plot) {
  using Sign = LegendEntry::Sign;
  std::vector<LegendEntry> legend;
  for (const PlotSeries& s : plot.series) {
    if (s.name.empty()) continue;
    const Sign sign = s.mark == Mark::line     ? Sign::line
                      : s.mark == Mark::dashed ? Sign::dashed
                      : s.mark == Mark::plain  ? Sign::plain
                                               : Sign::mark;
    legend.push_back({s.name, s.look, sign});
  }
  return legend;
}

}  // namespace

void draw(const Plot& plot, Html& page) {
  const PlotFrame frame = frame_of(plot);
  open_figure(plot.title, plot.title + ": " + plot.y.title + " against " + plot.x.title,
              kPlotHeight, page);
  draw_axes(plot, frame, page);
  draw_markers(plot, frame, page);
  for (const PlotSeries& s : plot.series) {
    if (s.mark != Mark::points) draw_line(s, frame, page);
  }
  for (const PlotSeries& s : plot.series) draw_points(s, frame, page);
  draw_gaps(plot, frame, page);
  close_figure(legend_of(plot), plot.caption, page);
}

}  // namespace bench
