#pragma once

#include <string>
#include <vector>

#include "dashboards/html.h"

namespace bench {

// What every drawing of a page is made of: a <figure> with one static SVG, a legend and a caption.
// A reader without JavaScript sees all of it; the script only reads out the notes.

// Of a drawing, in the units of its viewBox; text is 13 units high.
constexpr double kFigureWidth = 560;
constexpr double kCharacterWidth = 7;  // of a figure or letter, about

std::string px(double value);  // one decimal at most
std::string look_class(std::size_t look);

// A mark at x,y in the colour and the shape of its look: no meaning hangs on colour alone.
void draw_mark(std::size_t look, double x, double y, const std::string& note, Html& page);

// The shapes that the marks of a page refer to; once a page, before them.
void draw_mark_shapes(Html& page);

struct LegendEntry {
  std::string name;
  std::size_t look = 0;
  enum class Sign { line, dashed, plain, mark, area } sign = Sign::line;
};

void open_figure(const std::string& title, const std::string& description, double height,
                 Html& page, double width = kFigureWidth);
void close_figure(const std::vector<LegendEntry>& legend, const std::string& caption, Html& page);

enum class Anchor { start, middle, end };
void draw_text(const std::string& text, std::string_view css, double x, double y, Anchor anchor,
               Html& page);

}  // namespace bench
