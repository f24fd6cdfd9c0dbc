#include "dashboards/text_matrix.h"

#include <algorithm>
#include <utility>

namespace bench {
namespace {

constexpr int kColumnGap = 2;   // between columns
constexpr int kExtraGap = 1;    // between a figure and its extra
constexpr int kLabelShare = 3;  // a label takes at most 1/3 of the width

// "full_pool_cast" as one line, or as {"full_pool", "cast"}.
std::vector<std::string> title_lines(const std::string& name, bool broken) {
  const std::size_t cut = name.rfind('_');
  if (!broken || cut == std::string::npos || cut == 0) return {name};
  return {name.substr(0, cut), name.substr(cut + 1)};
}

struct MatrixColumn {
  std::vector<std::string> title;
  int main = 0;
  int extra = 0;
  int interval = 0;
  [[nodiscard]] int figures() const {
    return main + (extra > 0 ? kExtraGap + extra : 0) + (interval > 0 ? kExtraGap + interval : 0);
  }
  [[nodiscard]] int width() const {
    int widest = figures();
    for (const std::string& line : title) widest = std::max(widest, display_width(line));
    return widest;
  }
};

enum class Show { figures, extras, intervals };

struct Layout {
  int label = 0;
  std::vector<MatrixColumn> columns{};  // those of the matrix, then the last one if shown
  [[nodiscard]] int width() const {
    int total = label;
    for (const MatrixColumn& c : columns) total += kColumnGap + c.width();
    return total;
  }
};

Layout measure(const TextMatrix& m, int width, Show show, bool broken_titles) {
  Layout layout{.label = display_width(m.corner)};
  for (const MatrixRow& row : m.rows)
    layout.label = std::max(layout.label, display_width(row.label));
  layout.label = std::min(layout.label, label_room(width));
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    MatrixColumn column{.title = title_lines(m.columns[i], broken_titles)};
    for (const MatrixRow& row : m.rows) {
      column.main = std::max(column.main, display_width(row.cells[i].main));
      if (show != Show::figures)
        column.extra = std::max(column.extra, display_width(row.cells[i].extra));
      if (show == Show::intervals)
        column.interval = std::max(column.interval, display_width(row.cells[i].interval));
    }
    layout.columns.push_back(column);
  }
  if (show == Show::figures && !m.instead.empty()) {
    MatrixColumn last{.title = {m.instead}};
    for (const MatrixRow& row : m.rows) last.main = std::max(last.main, display_width(row.instead));
    layout.columns.push_back(last);
  }
  return layout;
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

void add_titles(const TextMatrix& m, const Layout& layout, bool colour,
                std::vector<std::string>& lines) {
  std::size_t height = 1;
  for (const MatrixColumn& c : layout.columns) height = std::max(height, c.title.size());
  for (std::size_t at = 0; at < height; ++at) {
    const bool last = at + 1 == height;
    std::string line = pad(last ? ellipsis(m.corner, layout.label) : "", layout.label, Align::left);
    for (const MatrixColumn& c : layout.columns) {
      const std::size_t skipped = height - c.title.size();  // titles stand on the bottom line
      line += std::string(kColumnGap, ' ') +
              pad(at < skipped ? "" : c.title[at - skipped], c.width(), Align::right);
    }
    lines.push_back(styled(without_trailing_space(line), Style::bold, colour));
  }
}

std::string cell_text(const MatrixCell& cell, const MatrixColumn& column, bool colour) {
  const std::string gap(kExtraGap, ' ');
  std::string text(static_cast<std::size_t>(column.width() - column.figures()), ' ');
  text += pad(cell.main, column.main, Align::right);
  if (column.extra > 0)
    text += gap + styled(pad(cell.extra, column.extra, Align::right), cell.style, colour);
  if (column.interval > 0) text += gap + pad(cell.interval, column.interval, Align::left);
  return text;
}

void add_rows(const TextMatrix& m, const Layout& layout, bool colour,
              std::vector<std::string>& lines) {
  for (const MatrixRow& row : m.rows) {
    std::string line = pad(ellipsis(row.label, layout.label), layout.label, Align::left);
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const MatrixColumn& column = layout.columns[i];
      line += std::string(kColumnGap, ' ');
      line += i < row.cells.size() ? cell_text(row.cells[i], column, colour)
                                   : pad(row.instead, column.width(), Align::right);
    }
    lines.push_back(without_trailing_space(line));
  }
}

// Columns [first, last) of the matrix, without its last column.
TextMatrix slice(const TextMatrix& m, std::size_t first, std::size_t last) {
  TextMatrix part{.corner = m.corner};
  part.columns.assign(m.columns.begin() + first, m.columns.begin() + last);
  for (const MatrixRow& row : m.rows) {
    part.rows.push_back({row.label, {row.cells.begin() + first, row.cells.begin() + last}, {}});
  }
  return part;
}

}  // namespace

int label_room(int width) { return std::max(12, width / kLabelShare); }

std::vector<std::string> lay_out(const TextMatrix& m, int width, bool colour) {
  static constexpr std::pair<Show, bool> kAttempts[] = {{Show::intervals, false},
                                                        {Show::extras, false},
                                                        {Show::extras, true},
                                                        {Show::figures, false},
                                                        {Show::figures, true}};
  std::vector<std::string> lines;
  for (const auto& [show, broken] : kAttempts) {
    const Layout layout = measure(m, width, show, broken);
    const bool narrowest = show == Show::figures && broken && m.columns.size() == 1;
    if (layout.width() > width && !narrowest) continue;
    add_titles(m, layout, colour, lines);
    add_rows(m, layout, colour, lines);
    return lines;
  }
  std::size_t first = 0;
  while (first < m.columns.size()) {
    std::size_t last = first + 1;
    while (last < m.columns.size() &&
           measure(slice(m, first, last + 1), width, Show::extras, true).width() <= width)
      ++last;
    const std::vector<std::string> block = lay_out(slice(m, first, last), width, colour);
    lines.insert(lines.end(), block.begin(), block.end());
    first = last;
  }
  return lines;
}

}  // namespace bench
