#include "dashboards/trend.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dashboards/numbers.h"
#include "dashboards/row_text.h"
#include "dashboards/text.h"
#include "harness/format.h"

namespace bench {

Trend trend_of(const HistorySeries& series, const Changes& changes) {
  Trend trend{.workload = series.workload};
  std::vector<TrendPoint>& points = trend.points;
  for (const SeriesPoint& p : series.points) {
    points.push_back(
        {.run = format("{}", p.run), .started_unix_s = p.started_unix_s, .value = p.value});
    if (p.replicates < 2) continue;
    points.back().low = p.low;
    points.back().high = p.high;
  }
  for (const LeftOut& run : series.left_out) {
    points.push_back({.run = format("{}", run.run),
                      .started_unix_s = run.started_unix_s,
                      .reason = short_reason(run.reason)});
  }
  std::ranges::stable_sort(points, {}, &TrendPoint::started_unix_s);
  std::vector<std::size_t> place;  // of the points with a value
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].value) place.push_back(i);
  }
  const auto at = [&](std::size_t value) { return place.at(std::min(value, place.size() - 1)); };
  for (const Change& c : changes.changes) {
    trend.changes.push_back({.begin = at(c.begin),
                             .end = at(c.end),
                             .earliest = at(c.earliest),
                             .latest = at(c.latest),
                             .before = std::exp(c.before),
                             .after = std::exp(c.after)});
  }
  return trend;
}

std::string change_words(const Trend& trend, const LevelChange& change) {
  const auto place = [&](std::size_t at) {
    const TrendPoint& p = trend.points.at(at);
    return format("run {} of {}", p.run, date_text(p.started_unix_s));
  };
  const double scale = metric_text(trend.metric).scale;
  const std::string ratio = ratio_text(shown(change.after * scale) / shown(change.before * scale));
  if (change.is_drift())
    return format("drift from {} to {}: {}", place(change.begin), place(change.end), ratio);
  return format("step at {}: {}", place(change.begin), ratio);
}

bool is_worse(const Trend& trend, const LevelChange& change) {
  const MetricInfo* info = find_metric(trend.metric);
  const bool lower = info == nullptr || info->better == Better::lower;
  return lower == (change.after > change.before);
}

std::string date_text(double unix_s) {
  using namespace std::chrono;
  const year_month_day date{floor<days>(sys_seconds(seconds(static_cast<std::int64_t>(unix_s))))};
  return format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

MetricText metric_text(const std::string& metric) {
  const MetricInfo* info = find_metric(metric);
  const bool time = info != nullptr && info->unit == "s";
  if (!time) return {metric, 1};
  return {metric.substr(0, metric.size() - 2) + ", ms", 1e3};
}

}  // namespace bench
