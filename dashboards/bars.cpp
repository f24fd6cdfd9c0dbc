#include "dashboards/bars.h"

#include <algorithm>
#include <cmath>

#include "dashboards/figure.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr double kBarHeight = 20, kBarPitch = 40, kBarLeft = 4, kValueRoom = 96;
constexpr double kStepPitch = 30, kNameRoom = 150;

double width_of(const std::string& text) {
  return static_cast<double>(text.size()) * kCharacterWidth;
}

void draw_rect(std::string_view css, double x, double y, double width, const std::string& note,
               Html& page) {
  page.open("rect", {{"class", std::string(css)},
                     {"x", px(x)},
                     {"y", px(y)},
                     {"width", px(std::max(width, 0.5))},
                     {"height", px(kBarHeight)}});
  if (!note.empty()) page.element("title", note);
  page.close();
}

void draw_bar(const Bar& bar, double y, double scale, Html& page) {
  draw_text(bar.name, "name", kBarLeft, y + 11, Anchor::start, page);
  double x = kBarLeft;
  for (const BarPart& part : bar.parts) {
    if (part.value <= 0) continue;
    const double width = part.value * scale;
    draw_rect("bar pt " + look_class(part.look), x, y + 16, width, part.note, page);
    if (width_of(part.name) + 8 < width)
      draw_text(part.name, "inside", x + 4, y + 30.5, Anchor::start, page);
    x += width;
  }
  draw_text(bar.missing.empty() ? bar.total : bar.missing, "tick", x + 6, y + 30.5, Anchor::start,
            page);
}

std::vector<LegendEntry> legend_of(const BarPlot& plot) {
  std::vector<LegendEntry> legend;
  for (const Bar& bar : plot.bars) {
    for (const BarPart& part : bar.parts) {
      if (part.value <= 0) continue;  // not drawn
      if (std::ranges::find(legend, part.name, &LegendEntry::name) != legend.end()) continue;
      legend.push_back({part.name, part.look, LegendEntry::Sign::area});
    }
  }
  return legend;
}

// From the leftmost to the rightmost value the waterfall touches, 0 included.
struct Reach {
  double low = 0, high = 0;
  void touch(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

Reach reach_of(const Waterfall& plot) {
  Reach reach;
  double at = plot.start;
  reach.touch(at);
  for (const WaterfallStep& step : plot.steps) {
    if (step.predicted) reach.touch(at + *step.predicted);
    at += step.change;
    reach.touch(at);
  }
  return reach;
}

}  // namespace

void draw(const BarPlot& plot, Html& page) {
  double most = 0;
  for (const Bar& bar : plot.bars) {
    double sum = 0;
    for (const BarPart& part : bar.parts) sum += std::max(part.value, 0.0);
    most = std::max(most, sum);
  }
  const double scale = most > 0 ? (kFigureWidth - kBarLeft - kValueRoom) / most : 0;
  open_figure(plot.title, plot.title + ": bars of parts",
              static_cast<double>(plot.bars.size()) * kBarPitch + 6, page);
  double y = 2;
  for (const Bar& bar : plot.bars) {
    draw_bar(bar, y, scale, page);
    y += kBarPitch;
  }
  close_figure(legend_of(plot), plot.caption, page);
}

void draw(const Waterfall& plot, Html& page) {
  const Reach reach = reach_of(plot);
  const double scale =
      (kFigureWidth - kNameRoom - kValueRoom) / std::max(reach.high - reach.low, 1e-300);
  const auto x_of = [&](double value) { return kNameRoom + (value - reach.low) * scale; };
  const auto span = [&](std::string_view css, double from, double to, double y,
                        const std::string& note) {
    draw_rect(css, x_of(std::min(from, to)), y, std::abs(to - from) * scale, note, page);
  };
  const double height = static_cast<double>(plot.steps.size() + 2) * kStepPitch + 4;
  open_figure(plot.title, plot.title + ": a waterfall from " + plot.first + " to " + plot.last,
              height, page);
  double y = 4;
  double at = plot.start;
  const auto total = [&](const std::string& name, const std::string& value) {
    draw_text(name, "name", kNameRoom - 8, y + 14.5, Anchor::end, page);
    span("bar pt total", 0, at, y, name + ": " + value);
    draw_text(value, "tick", x_of(std::max(at, 0.0)) + 6, y + 14.5, Anchor::start, page);
    y += kStepPitch;
  };
  total(plot.first, plot.first_value);
  for (const WaterfallStep& step : plot.steps) {
    const double next = at + step.change;
    draw_text(step.name, "name", kNameRoom - 8, y + 14.5, Anchor::end, page);
    page.empty("path", {{"class", "grid"},
                        {"d", format("M{} {}v{}", px(x_of(at)), px(y - (kStepPitch - kBarHeight)),
                                     px(kStepPitch))}});
    span(step.change < 0 ? "bar pt saved" : "bar pt added", at, next, y, step.note);
    if (step.predicted) span("predicted", at, at + *step.predicted, y, "");
    const double right = std::max({at, next, at + step.predicted.value_or(0)});
    draw_text(step.value, "tick", x_of(right) + 6, y + 14.5, Anchor::start, page);
    at = next;
    y += kStepPitch;
  }
  total(plot.last, plot.last_value);
  close_figure({}, plot.caption, page);
}

}  // namespace bench
