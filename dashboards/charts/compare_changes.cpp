#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "dashboards/axis.h"
#include "dashboards/compare_chart.h"
#include "dashboards/figure.h"
#include "dashboards/numbers.h"
#include "dashboards/text.h"

namespace bench {
namespace {

constexpr double kChangeRow = 24, kChangesLeft = 250, kChangesTop = 6, kChangesBottom = 46;
constexpr std::size_t kMostRows = 40;
constexpr int kNameCells = 36;  // of a case, left of the axis

// Worst news first; what cannot be judged after what can.
constexpr std::array kWordsDrawn{Word::regressed, Word::improved, Word::inconclusive,
                                 Word::unchanged};

std::vector<const ComparedRow*> judged_rows(const ComparedRuns& comparison) {
  std::vector<const ComparedRow*> rows;
  for (const Word word : kWordsDrawn) {
    for (const ComparedRow& compared : comparison.rows) {
      if (compared.row->verdict.word == word && compared.row->evidence) rows.push_back(&compared);
    }
  }
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  return rows;
}

std::size_t look_index(Word word) {
  return static_cast<std::size_t>(std::ranges::find(kWordsDrawn, word) - kWordsDrawn.begin());
}

// The shape says the verdict: up good, down bad, a square for neither shown, a circle unchanged.
constexpr std::array<std::size_t, 4> kShapeOf{4, 2, 1, 0};

std::vector<std::string_view> parts_of(std::string_view label) {
  std::vector<std::string_view> parts;
  while (!label.empty()) {
    const std::size_t end = std::min(label.find(", "), label.size());
    parts.push_back(label.substr(0, end));
    label.remove_prefix(std::min(end + 2, label.size()));
  }
  return parts;
}

// The axes that tell the case from others of its workload, and the variant.
std::string name_of(const Row& row, const ComparedRuns& comparison) {
  std::string name;
  for (const std::string_view part : parts_of(row.label)) {
    const bool shared = std::ranges::all_of(comparison.rows, [&](const ComparedRow& other) {
      const auto parts = parts_of(other.row->label);
      return other.row->workload != row.workload || std::ranges::count(parts, part) > 0;
    });
    if (!shared) name += (name.empty() ? "" : ", ") + std::string(part);
  }
  if (name.empty()) name = row.label.empty() ? row.workload : row.label;
  if (name.size() > 20) name = name.substr(0, 19) + "\u2026";
  return name + " " + row.what.variant;
}

// The smallest effect of interest of this row, shaded.
void draw_band(const Row& row, const Scale& scale, double y, Html& page) {
  const double effect = row.question.min_effect * 100;
  page.empty("rect", {{"class", "band"},
                      {"x", px(scale.at(-effect))},
                      {"y", px(y - kChangeRow / 2)},
                      {"width", px(scale.at(effect) - scale.at(-effect))},
                      {"height", px(kChangeRow)}});
}

void draw_row(const ComparedRow& compared, const std::string& name, const Scale& scale, double y,
              Html& page) {
  const Row& row = *compared.row;
  const std::string css(look_of(row.verdict.word).css);
  const double change = percent_change(row.evidence->ratio);
  draw_band(row, scale, y, page);
  draw_text(ellipsis(name, kNameCells), "tick", kChangesLeft - 8, y + 4.5, Anchor::end, page);
  if (const auto& interval = row.evidence->interval) {
    page.empty("path", {{"class", "iv change " + css},
                        {"d", format("M{} {}H{}", px(scale.at(percent_change(interval->low))),
                                     px(y), px(scale.at(percent_change(interval->high))))}});
  }
  page.open("g", {{"class", "change " + css}});
  draw_mark(kShapeOf[look_index(row.verdict.word)], scale.at(change), y,
            format("{}, {}: {}, {} {}", compared.text.name, compared.text.metric,
                   to_string(row.verdict.word), compared.text.change, compared.text.interval),
            page);
  page.close();
}

Scale scale_of(const std::vector<const ComparedRow*>& rows) {
  std::vector<double> values;
  for (const ComparedRow* compared : rows) {
    const Row& row = *compared->row;
    const double effect = row.question.min_effect * 100;
    values.insert(values.end(), {-effect, effect, percent_change(row.evidence->ratio)});
    if (const auto& interval = row.evidence->interval)
      values.insert(values.end(), {percent_change(interval->low), percent_change(interval->high)});
  }
  return {{}, values, kChangesLeft, kFigureWidth - 10};
}

void draw_axis(const Scale& scale, double bottom, Html& page) {
  for (const Tick& t : scale.ticks()) {
    page.empty("path",
               {{"class", "grid"},
                {"d", format("M{} {}V{}", px(scale.at(t.value)), px(kChangesTop), px(bottom))}});
    draw_text(t.label, "tick", scale.at(t.value), bottom + 16, Anchor::middle, page);
  }
  page.empty("path", {{"class", "axis"},
                      {"d", format("M{} {}V{}", px(scale.at(0)), px(kChangesTop), px(bottom))}});
  draw_text("change, %", "name", (kChangesLeft + kFigureWidth) / 2, bottom + 38, Anchor::middle,
            page);
}

void draw_changes(const ComparedRuns& comparison, Looks& /*looks*/, Html& page) {
  const std::vector<const ComparedRow*> rows = judged_rows(comparison);
  if (rows.empty()) return;
  const Scale scale = scale_of(rows);
  const double bottom = kChangesTop + kChangeRow * static_cast<double>(rows.size());
  const std::string title = "Change of each case, with its interval";
  open_figure(title, title, bottom + kChangesBottom, page);
  draw_axis(scale, bottom, page);
  double y = kChangesTop + kChangeRow / 2;
  for (const ComparedRow* row : rows) {
    draw_row(*row, name_of(*row->row, comparison), scale, y, page);
    y += kChangeRow;
  }
  close_figure({},
               format("Triangle down: regressed, up: improved, square: inconclusive, circle: "
                      "unchanged. Shaded: changes too small to be of interest.{}",
                      comparison.rows.size() > rows.size() ? " Others are in the table." : ""),
               page);
}

const Register<CompareChartKind> kCompareChangesChart{
    {.order = 10, .name = "changes", .draw = draw_changes}};

}  // namespace
}  // namespace bench
