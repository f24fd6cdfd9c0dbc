#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/history_series.h"
#include "results/verdict.h"

namespace bench {

struct TrendPoint {
  std::string run{};  // its number
  double started_unix_s = 0;
  std::optional<double> value{};  // in the metric's own unit; none: a gap
  std::optional<double> low{};    // smallest and largest replicate
  std::optional<double> high{};
  std::string reason{};  // of a gap
};

// A lasting change between two levels: a step at a point, or a drift from one point to another.
struct LevelChange {
  std::size_t begin = 0;     // the first point that has left the old level
  std::size_t end = 0;       // the first at the new one; begin: a step
  std::size_t earliest = 0;  // a step began between these two (95 %)
  std::size_t latest = 0;
  double before = 0, after = 0;  // the levels, in the metric's own unit
  [[nodiscard]] bool is_drift() const { return end > begin; }
};

// One metric of one case over the runs.
struct Trend {
  std::string workload{};
  std::string label{};
  std::string variant{};
  std::string metric{};
  std::vector<TrendPoint> points{};    // oldest first
  std::vector<LevelChange> changes{};  // in order; indices are of `points`
  std::optional<double> baseline{};    // of the pinned run
  std::string baseline_run{};
  std::optional<Verdict> verdict{};  // of the newest run against its baseline
};

// The points and changes of a series; runs that it left out become gaps, with their reason.
Trend trend_of(const HistorySeries& series, const Changes& changes);

// "step at run 71 of 2026-11-08: +4.1 %", "drift from run 20 to run 60: +2.0 %"
std::string change_words(const Trend& trend, const LevelChange& change);

// Whether the change made the metric worse.
bool is_worse(const Trend& trend, const LevelChange& change);

// "2026-11-29" of seconds since 1970, UTC.
std::string date_text(double unix_s);

// Figures of a metric as people read them: seconds in ms.
struct MetricText {
  std::string title;  // "tpot, ms"
  double scale;
};
MetricText metric_text(const std::string& metric);

}  // namespace bench
