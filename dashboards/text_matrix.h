#pragma once

#include <string>
#include <vector>

#include "dashboards/text.h"

namespace bench {

// Rows of figures with one column a variant, fitted to a terminal: each cell is a figure and,
// where there is room, a second one that explains it (a change, a share) and its interval.
struct MatrixCell {
  std::string main;
  std::string extra{};
  Style style = Style::plain;  // of the extra figure
  std::string interval{};      // of the extra figure
};

struct MatrixRow {
  std::string label;
  std::vector<MatrixCell> cells{};  // one a column
  std::string instead{};            // shown in a last column when the extras do not fit
};

struct TextMatrix {
  std::string corner;                  // title of the labels
  std::vector<std::string> columns{};  // names; broken at '_' where they do not fit
  std::string instead{};               // title of the last column
  std::vector<MatrixRow> rows{};
};

// Columns that labels may take of `width`; longer ones are cut short.
int label_room(int width);

// Tries, until the lines fit `width`: everything; no intervals; no extras but the last column;
// blocks of as many columns as fit, one under the other.
std::vector<std::string> lay_out(const TextMatrix& matrix, int width, bool colour);

}  // namespace bench
