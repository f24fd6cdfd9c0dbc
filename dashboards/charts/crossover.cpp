#include <algorithm>
#include <map>
#include <set>

#include "dashboards/chart.h"
#include "dashboards/figure.h"
#include "dashboards/numbers.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr double kMapLeft = 76, kMapTop = 4, kMapBottom = 48, kMapRow = 34;

using Cell = std::pair<std::int64_t, std::int64_t>;  // active tokens, pool tokens

struct Map {
  std::set<std::int64_t> active, pool;
  std::map<Cell, const PointSummary*> points;
};

Map map_of(const WorkloadSummary& workload) {
  Map map;
  for (const PointSummary& p : workload.points) {
    const Cell cell{p.parameters.context * p.parameters.concurrency, p.parameters.pool_tokens};
    map.active.insert(cell.first);
    map.pool.insert(cell.second);
    map.points.try_emplace(cell, &p);
  }
  return map;
}

const CaseSummary* fastest(const PointSummary& point) {
  const CaseSummary* best = nullptr;
  for (const CaseSummary& c : point.cases) {
    if (c.tpot_s && (best == nullptr || *c.tpot_s < *best->tpot_s)) best = &c;
  }
  return best;
}

std::string note_of(const PointSummary& point) {
  std::string note = point.label + ":";
  for (const CaseSummary& c : point.cases) {
    note += " " + c.variant() + " " +
            (c.tpot_s ? milliseconds(*c.tpot_s) + " ms;" : c.status_word() + ";");
  }
  note.pop_back();
  return note;
}

void draw_cell(const PointSummary& point, const ChartInput& input, double x, double y, double width,
               Html& page) {
  const CaseSummary* best = fastest(point);
  if (best == nullptr) {
    draw_text("\u00d7", "gap", x + width / 2, y + kMapRow / 2 + 5, Anchor::middle, page);
    return;
  }
  const std::size_t look = input.variants.of(best->variant());
  page.open("rect", {{"class", "cell pt " + look_class(look)},
                     {"x", px(x + 1)},
                     {"y", px(y + 1)},
                     {"width", px(width - 2)},
                     {"height", px(kMapRow - 2)}});
  page.element("title", note_of(point)).close();
  const bool fits = static_cast<double>(best->variant().size()) * kCharacterWidth + 24 < width;
  draw_mark(look, fits ? x + 12 : x + width / 2, y + kMapRow / 2, "", page);
  if (fits) draw_text(best->variant(), "name", x + 22, y + kMapRow / 2 + 4.5, Anchor::start, page);
}

void draw_map(const WorkloadSummary& workload, const Map& map, const ChartInput& input,
              Html& page) {
  const double width = (kFigureWidth - kMapLeft - 4) / static_cast<double>(map.active.size());
  const double bottom = kMapTop + kMapRow * static_cast<double>(map.pool.size());
  const std::string title = workload.name + ": the fastest variant, by active tokens and pool size";
  open_figure(title, title, bottom + kMapBottom, page);
  double y = bottom;
  for (const std::int64_t pool : map.pool) {
    y -= kMapRow;
    draw_text(format_count(pool), "tick", kMapLeft - 6, y + kMapRow / 2 + 4.5, Anchor::end, page);
    double x = kMapLeft;
    for (const std::int64_t active : map.active) {
      const auto found = map.points.find({active, pool});
      if (found != map.points.end()) draw_cell(*found->second, input, x, y, width, page);
      if (pool == *map.pool.begin())
        draw_text(format_count(active), "tick", x + width / 2, bottom + 17, Anchor::middle, page);
      x += width;
    }
  }
  draw_text("active tokens (context x concurrency), against pool tokens", "name",
            (kMapLeft + kFigureWidth) / 2, bottom + 40, Anchor::middle, page);
  std::vector<LegendEntry> legend;
  for (const std::string& variant : workload.variants)
    legend.push_back({variant, input.variants.of(variant), LegendEntry::Sign::mark});
  close_figure(legend, "Empty: not planned. \u00d7: no variant has a speed there.", page);
}

void draw_crossover(const ChartInput& input, Html& page) {
  for (const WorkloadSummary& workload : input.summary.workloads) {
    const Map map = map_of(workload);
    if (map.active.size() > 1 && map.pool.size() > 1 && workload.variants.size() > 1)
      draw_map(workload, map, input, page);
  }
}

const Register<ChartKind> kCrossoverChart{
    {.order = 80, .name = "crossover", .draw = draw_crossover}};

}  // namespace
}  // namespace bench
