#include "dashboards/row_text.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dashboards/numbers.h"
#include "harness/format.h"

namespace bench {
namespace {

bool in_seconds(const Row& row) {
  const MetricInfo* info = find_metric(row.metric);
  return info != nullptr && info->unit == "s";
}

std::string metric_title(const Row& row) {
  const MetricInfo* info = find_metric(row.metric);
  if (in_seconds(row)) return row.metric.substr(0, row.metric.size() - 2) + ", ms";
  if (info == nullptr || info->unit.empty()) return row.metric;
  return format("{}, {}", row.metric, info->unit);
}

std::string ratio_interval(double ratio, const Interval& interval) {
  if (!reads_as_factor(ratio)) {
    return format("[{:+.1f}, {:+.1f}]", (interval.low - 1) * 100, (interval.high - 1) * 100);
  }
  return format("[{}, {}]", significant(interval.low, 3), significant(interval.high, 3));
}

// Whether it is shown to change, by a tenth of the step's change at least.
bool matters(const StageChange& stage, double change_s) {
  return stage.interval && (stage.interval->low > 0 || stage.interval->high < 0) &&
         std::abs(stage.change_s) >= std::abs(change_s) / 10;
}

}  // namespace

std::string ratio_text(double ratio) {
  return reads_as_factor(ratio) ? "x " + significant(ratio, 3) : change_text(ratio);
}

RowText row_text(const Row& row) {
  RowText text;
  text.name = row.workload;
  if (!row.label.empty()) text.name += ", " + row.label;
  text.name += ", " + row.what.variant;
  if (row.baseline_variant != row.what.variant) text.name += " against " + row.baseline_variant;
  text.name += relative_text(row.relative_to);
  text.metric = metric_title(row);
  if (row.evidence) {
    const double scale = in_seconds(row) ? 1e3 : 1;
    text.before = significant(row.evidence->baseline * scale);
    text.after = significant(row.evidence->candidate * scale);
    const double ratio = std::stod(text.after) / std::stod(text.before);
    text.change = ratio_text(ratio);
    if (row.evidence->interval) text.interval = ratio_interval(ratio, *row.evidence->interval);
  }
  if (row.verdict.detectable) {
    text.detectable = format("{} %", significant(*row.verdict.detectable * 100, 2));
  }
  return text;
}

std::vector<std::string> stage_texts(const Row& row) {
  if (!row.evidence) return {};
  const double change_s = row.evidence->candidate - row.evidence->baseline;
  std::vector<const StageChange*> changed;
  for (const StageChange& stage : row.stages) {
    if (matters(stage, change_s)) changed.push_back(&stage);
  }
  std::ranges::stable_sort(changed, std::greater<>(),
                           [](const StageChange* s) { return std::abs(s->change_s); });
  std::vector<std::string> texts;
  for (const StageChange* stage : changed) {
    std::string text = format("{} {} ms [{}, {}]", stage->stage, signed_ms(stage->change_s),
                              signed_ms(stage->interval->low), signed_ms(stage->interval->high));
    if (!stage->explanation.empty()) text += format(" ({})", stage->explanation);
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<const Row*> rows_of(const Comparison& comparison, Word word) {
  std::vector<const Row*> rows;
  for (const Row& row : comparison.rows) {
    if (row.verdict.word == word) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, std::greater<>(), [](const Row* row) {
    return row->evidence ? std::abs(std::log(row->evidence->ratio)) : 0.0;
  });
  return rows;
}

std::string counts_text(const Comparison& comparison) {
  std::vector<std::string> counts;
  for (const Word word : kWordOrder) {
    if (const auto count = comparison.count(word); count > 0) {
      counts.push_back(format("{} {}", count, to_string(word)));
    }
  }
  return counts.empty() ? "nothing was compared" : format("{}", join(counts, ", "));
}

}  // namespace bench
