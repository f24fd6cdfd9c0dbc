#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dashboards/html.h"

namespace bench {

// One point of a line. A gap is a point that was asked for and has no value: the line breaks there
// and the reason is written at the axis.
struct PlotPoint {
  double x = 0;
  std::optional<double> y{};
  std::optional<double> low{};  // interval
  std::optional<double> high{};
  std::string note{};  // what a reader wants on pointing at it: "native_fp8, context 4k: 0.2061 ms"
};

enum class Mark { line, dashed, points };

struct PlotSeries {
  std::string name{};
  std::size_t look = 0;  // colour and shape of the mark, equal for a variant in every plot
  std::vector<PlotPoint> points{};
  Mark mark = Mark::line;
};

struct Axis {
  std::string title{};  // with its unit
  bool log = false;
  bool binary = false;     // ticks at powers of two: 1k, 2k, 4k
  bool from_zero = false;  // linear only
};

struct Plot {
  std::string title{};
  std::string caption{};  // what the marks and intervals are
  Axis x{}, y{};
  std::vector<PlotSeries> series{};
};

// The shapes that the marks of all plots of a page refer to; once a page, before them.
void draw_mark_shapes(Html& page);

// A <figure> with a static SVG, a legend and the notes. A log axis leaves out values <= 0.
void draw(const Plot& plot, Html& page);

// Bars of stacked parts, one bar a row: stages of a step.
struct BarPart {
  std::string name;
  std::size_t look = 0;
  double value = 0;
  std::string note{};
};

struct Bar {
  std::string name{};
  std::vector<BarPart> parts{};
  std::string total{};    // written behind the bar
  std::string missing{};  // instead of parts: why there are none
};

struct BarPlot {
  std::string title{};
  std::string caption{};
  std::string unit{};
  std::vector<Bar> bars{};
};
void draw(const BarPlot& plot, Html& page);

}  // namespace bench
