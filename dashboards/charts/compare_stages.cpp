#include "dashboards/bars.h"
#include "dashboards/compare_chart.h"
#include "dashboards/numbers.h"
#include "dashboards/verdict_sentence.h"

namespace bench {
namespace {

constexpr std::size_t kMostStageBars = 6;

// One side's stages of a row.
Bar bar_of(const char* side, const Row& row, double StageChange::*seconds, Looks& looks) {
  Bar bar{.name = side};
  double total = 0;
  for (const StageChange& s : row.stages) {
    total += s.*seconds;
    bar.parts.push_back({s.stage, looks.of(s.stage), s.*seconds * 1e3,
                         format("{}, {}: {} ms", side, s.stage, milliseconds(s.*seconds))});
  }
  bar.total = milliseconds(total) + " ms";
  return bar;
}

// Stages before and after of the cases that changed.
void draw_stages_before_and_after(const ComparedRuns& comparison, Looks& looks, Html& page) {
  std::size_t drawn = 0;
  for (const ComparedRow& compared : comparison.rows) {
    const Row& row = *compared.row;
    const bool changed = row.verdict.word == Word::regressed || row.verdict.word == Word::improved;
    if (!changed || row.stages.empty() || drawn++ >= kMostStageBars) continue;
    BarPlot plot{.title = format("{} {} {}: {} {}", row.workload, row.label, row.what.variant,
                                 to_string(row.verdict.word), compared.text.change),
                 .caption = "A step's stages before and after: " + attribution(row) + "."};
    plot.bars = {bar_of("before", row, &StageChange::baseline_s, looks),
                 bar_of("after", row, &StageChange::candidate_s, looks)};
    draw(plot, page);
  }
}

const Register<CompareChartKind> kCompareStagesChart{
    {.order = 20, .name = "stages", .draw = draw_stages_before_and_after}};

}  // namespace
}  // namespace bench
