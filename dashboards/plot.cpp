#include "dashboards/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dashboards/axis.h"
#include "harness/format.h"

namespace bench {
namespace {

// Of the drawing, in the units of its viewBox.
constexpr double kWidth = 560, kHeight = 340;
constexpr double kLeft = 62, kRight = 14, kTop = 12, kBottom = 52;
constexpr double kCharacter = 7;  // width of a tick's character
constexpr std::size_t kLooks = 8;

std::string px(double value) {
  std::string text = format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

// The mark of each look, centred on 0,0: no meaning hangs on colour alone.
constexpr std::array<const char*, kLooks> kShapes{
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-3.6 -3.6h7.2v7.2h-7.2z",
    "M0 -4.8L4.6 3.6h-9.2z",
    "M0 -5L5 0L0 5L-5 0z",
    "M0 4.8L4.6 -3.6h-9.2z",
    "M-1.4 -4.6h2.8v3.2h3.2v2.8h-3.2v3.2h-2.8v-3.2h-3.2v-2.8h3.2z",
    "M-4.4 -2.6h8.8v5.2h-8.8z",
    "M-2.4 -4.6h4.8l2.4 4.6l-2.4 4.6h-4.8l-2.4 -4.6z"};

std::string look_class(std::size_t look) { return format("k{}", look % kLooks); }

void mark(std::size_t look, double x, double y, const std::string& note, Html& page) {
  page.open("use", {{"class", "pt " + look_class(look)},
                    {"href", format("#m{}", look % kLooks)},
                    {"x", px(x)},
                    {"y", px(y)}});
  if (!note.empty()) page.element("title", note);
  page.close();
}

struct Frame {
  Scale x, y;
};

Frame frame_of(const Plot& plot) {
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
  return {Scale(plot.x, xs, kLeft, kWidth - kRight), Scale(plot.y, ys, kHeight - kBottom, kTop)};
}

void draw_axes(const Plot& plot, const Frame& frame, Html& page) {
  const double bottom = kHeight - kBottom;
  for (const Tick& t : frame.y.ticks()) {
    const std::string y = px(frame.y.at(t.value));
    page.empty("path",
               {{"class", "grid"}, {"d", format("M{} {}H{}", px(kLeft), y, px(kWidth - kRight))}});
    page.element("text", t.label,
                 {{"class", "tick"},
                  {"x", px(kLeft - 6)},
                  {"y", y},
                  {"dy", ".35em"},
                  {"text-anchor", "end"}});
  }
  double free_from = 0;  // labels that would overlap are left out
  for (const Tick& t : frame.x.ticks()) {
    const double x = frame.x.at(t.value);
    const double half = static_cast<double>(t.label.size()) * kCharacter / 2;
    page.empty("path", {{"class", "axis"}, {"d", format("M{} {}v5", px(x), px(bottom))}});
    if (x - half < free_from) continue;
    free_from = x + half + 4;
    page.element("text", t.label,
                 {{"class", "tick"},
                  {"x", px(std::min(x, kWidth - half))},
                  {"y", px(bottom + 19)},
                  {"text-anchor", "middle"}});
  }
  page.empty("path",
             {{"class", "axis"},
              {"d", format("M{} {}V{}H{}", px(kLeft), px(kTop), px(bottom), px(kWidth - kRight))}});
  page.element("text", plot.x.title,
               {{"class", "name"},
                {"x", px((kLeft + kWidth - kRight) / 2)},
                {"y", px(kHeight - 10)},
                {"text-anchor", "middle"}});
  page.element("text", plot.y.title,
               {{"class", "name"},
                {"transform", format("translate(14 {}) rotate(-90)", px((kTop + bottom) / 2))},
                {"text-anchor", "middle"}});
}

void draw_line(const PlotSeries& s, const Frame& frame, Html& page) {
  std::string path;
  bool pen_down = false;
  for (const PlotPoint& p : s.points) {
    const bool drawn = p.y && frame.x.shows(p.x) && frame.y.shows(*p.y);
    if (drawn)
      path += format("{}{} {}", pen_down ? "L" : "M", px(frame.x.at(p.x)), px(frame.y.at(*p.y)));
    pen_down = drawn;
  }
  if (path.empty()) return;
  const std::string dash = s.mark == Mark::dashed ? " dashed" : "";
  page.empty("path", {{"class", "ln " + look_class(s.look) + dash}, {"d", path}});
}

void draw_points(const PlotSeries& s, const Frame& frame, Html& page) {
  for (const PlotPoint& p : s.points) {
    if (!frame.x.shows(p.x)) continue;
    const double x = frame.x.at(p.x);
    if (!p.y || !frame.y.shows(*p.y)) {
      page.open("text", {{"class", "gap"},
                         {"x", px(x)},
                         {"y", px(kHeight - kBottom - 4)},
                         {"text-anchor", "middle"}});
      page.element("title", p.note).text("\u00d7").close();
      continue;
    }
    if (p.low && p.high && frame.y.shows(*p.low)) {
      page.empty("path",
                 {{"class", "iv " + look_class(s.look)},
                  {"d", format("M{} {}V{}m-3 0h6M{} {}m-3 0h6", px(x), px(frame.y.at(*p.low)),
                               px(frame.y.at(*p.high)), px(x), px(frame.y.at(*p.low)))}});
    }
    if (s.mark != Mark::dashed) mark(s.look, x, frame.y.at(*p.y), p.note, page);
  }
}

void draw_legend(const std::vector<PlotSeries>& series, Html& page) {
  page.open("ul", {{"class", "legend"}});
  for (const PlotSeries& s : series) {
    page.open("li");
    page.open("svg", {{"viewBox", "-14 -7 28 14"}, {"aria-hidden", "true"}});
    const std::string dash = s.mark == Mark::dashed ? " dashed" : "";
    if (s.mark != Mark::points)
      page.empty("path", {{"class", "ln " + look_class(s.look) + dash}, {"d", "M-14 0H14"}});
    if (s.mark != Mark::dashed) mark(s.look, 0, 0, "", page);
    page.close().text(s.name).close();
  }
  page.close();
}

void open_figure(const std::string& title, Html& page) {
  page.open("figure").element("h3", title);
  page.open("div", {{"class", "plot"},
                    {"tabindex", "0"},
                    {"role", "group"},
                    {"aria-label", title + ", a chart: arrow keys read its points"}});
}

void close_figure(const std::string& caption, Html& page) {
  if (!caption.empty()) page.element("figcaption", caption);
  page.close().line();
}

}  // namespace

void draw_mark_shapes(Html& page) {
  page.open("svg", {{"class", "shapes"}, {"aria-hidden", "true"}}).open("defs");
  for (std::size_t look = 0; look < kLooks; ++look)
    page.empty("path", {{"id", format("m{}", look)}, {"d", kShapes[look]}});
  page.close().close().line();
}

void draw(const Plot& plot, Html& page) {
  const Frame frame = frame_of(plot);
  open_figure(plot.title, page);
  page.open("svg", {{"viewBox", format("0 0 {} {}", px(kWidth), px(kHeight))},
                    {"role", "img"},
                    {"aria-label", plot.title + ": " + plot.y.title + " against " + plot.x.title}});
  draw_axes(plot, frame, page);
  for (const PlotSeries& s : plot.series) {
    if (s.mark != Mark::points) draw_line(s, frame, page);
  }
  for (const PlotSeries& s : plot.series) draw_points(s, frame, page);
  page.close().close();
  draw_legend(plot.series, page);
  close_figure(plot.caption, page);
}

void draw(const BarPlot& plot, Html& page) {
  constexpr double kBar = 20, kPitch = 40, kBarLeft = 4;
  double most = 0;
  for (const Bar& bar : plot.bars) {
    double sum = 0;
    for (const BarPart& part : bar.parts) sum += std::max(part.value, 0.0);
    most = std::max(most, sum);
  }
  const double height = static_cast<double>(plot.bars.size()) * kPitch + 6;
  const double scale = most > 0 ? (kWidth - kBarLeft - 90) / most : 0;
  open_figure(plot.title, page);
  page.open("svg", {{"viewBox", format("0 0 {} {}", px(kWidth), px(height))},
                    {"role", "img"},
                    {"aria-label", plot.title + ", " + plot.unit}});
  double y = 2;
  for (const Bar& bar : plot.bars) {
    page.element("text", bar.name, {{"class", "name"}, {"x", px(kBarLeft)}, {"y", px(y + 11)}});
    double x = kBarLeft;
    for (const BarPart& part : bar.parts) {
      if (part.value <= 0) continue;
      const double width = part.value * scale;
      page.open("rect", {{"class", "bar pt " + look_class(part.look)},
                         {"x", px(x)},
                         {"y", px(y + 16)},
                         {"width", px(std::max(width, 0.5))},
                         {"height", px(kBar)}});
      page.element("title", part.note).close();
      x += width;
    }
    page.element(
        "text", bar.missing.empty() ? bar.total : bar.missing,
        {{"class", "tick"}, {"x", px(x + 6)}, {"y", px(y + 16 + kBar / 2)}, {"dy", ".35em"}});
    y += kPitch;
  }
  page.close().close();
  std::vector<PlotSeries> legend;
  for (const Bar& bar : plot.bars) {
    for (const BarPart& part : bar.parts) {
      if (std::ranges::find(legend, part.name, &PlotSeries::name) == legend.end()) {
        legend.push_back({.name = part.name, .look = part.look, .mark = Mark::points});
      }
    }
  }
  draw_legend(legend, page);
  close_figure(plot.caption, page);
}

}  // namespace bench
