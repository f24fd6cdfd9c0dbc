#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dashboards/html.h"

namespace bench {

// One point of a line. A point without a value is a gap: the line breaks there, and the note says
// why at the axis.
struct PlotPoint {
  double x = 0;
  std::optional<double> y{};
  std::optional<double> low{};  // interval
  std::optional<double> high{};
  std::string note{};  // what a reader wants on pointing at it: "native_fp8, context 4k: 0.2061 ms"
};

enum class Mark { line, dashed, plain, points };  // dashed and plain: a line without marks

struct PlotSeries {
  std::string name{};    // in the legend; empty: not in it
  std::size_t look = 0;  // colour and shape of the mark, equal for a variant in every plot
  std::vector<PlotPoint> points{};
  Mark mark = Mark::line;
};

struct Axis {
  std::string title{};  // with its unit
  bool log = false;
  bool counts = false;     // ticks where the data are, written 1k, 4k, 495552
  bool from_zero = false;  // linear only
  std::vector<std::pair<double, std::string>> ticks{};  // given ones, such as dates
};

// A vertical line at x: a change of level, an accepted baseline.
struct PlotMarker {
  double x = 0;
  std::string text{};  // written at its top
};

struct Plot {
  std::string title{};
  std::string caption{};  // what the marks and intervals are
  Axis x{}, y{};
  std::vector<PlotSeries> series{};
  std::vector<PlotMarker> markers{};
};

// A log axis leaves out values <= 0.
void draw(const Plot& plot, Html& page);

}  // namespace bench
