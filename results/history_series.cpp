#include "results/history_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/statistics.h"

namespace bench {
namespace {

// What one run measured of the case.
struct RunValues {
  const HistoryPoint* first = nullptr;
  std::vector<double> values;
  int version = 0;
};

using Place = std::pair<std::string, std::string>;  // workload, host

std::vector<RunValues> nights_of(const std::vector<HistoryPoint>& points, const Place& place,
                                 std::int64_t last_run) {
  std::vector<RunValues> nights;
  for (const HistoryPoint& point : points) {
    if (Place{point.workload, point.host} != place || (last_run != 0 && point.run > last_run))
      continue;
    if (nights.empty() || nights.back().first->run != point.run) {
      nights.push_back({.first = &point, .values = {}});
    }
    const bool good = point.status == Status::ok && point.value && *point.value > 0;
    if (!good) continue;
    nights.back().values.push_back(*point.value);
    nights.back().version = point.version;
  }
  return nights;
}

HistorySeries series_at(const std::vector<HistoryPoint>& points, const Place& place,
                        std::int64_t last_run) {
  HistorySeries series{.workload = place.first, .host = place.second, .points = {}};
  const std::vector<RunValues> nights = nights_of(points, place, last_run);
  const auto newest = std::ranges::find_if(nights.rbegin(), nights.rend(),
                                           [](const RunValues& n) { return !n.values.empty(); });
  for (const RunValues& night : nights) {
    const bool comparable = !night.values.empty() &&
                            night.first->fingerprint == newest->first->fingerprint &&
                            night.version == newest->version;
    if (!comparable) {
      ++series.left_out;
      continue;
    }
    series.points.push_back({night.first->run, night.first->run_id, night.first->started_unix_s,
                             median(night.values), std::ssize(night.values)});
  }
  return series;
}

// The fitted level at a point: in a drift, part of the way.
double level_at(const Changes& changes, std::size_t point) {
  double level = changes.changes.front().before;
  for (const Change& c : changes.changes) {
    if (point < c.begin) break;
    const auto nights = static_cast<double>(c.end - c.begin + 1);
    const auto passed = static_cast<double>(std::min(point, c.end) - c.begin + 1);
    level = std::lerp(c.before, c.after, passed / nights);
  }
  return level;
}

}  // namespace

std::vector<HistorySeries> series_of(const std::vector<HistoryPoint>& points,
                                     std::int64_t last_run) {
  std::vector<Place> places;
  for (const HistoryPoint& point : points) {
    Place place{point.workload, point.host};
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  std::vector<HistorySeries> all;
  all.reserve(places.size());
  for (const Place& place : places) all.push_back(series_at(points, place, last_run));
  return all;
}

Changes changes_of(const HistorySeries& series) {
  std::vector<double> logs;
  for (const SeriesPoint& point : series.points) logs.push_back(std::log(point.value));
  return find_changes(logs);
}

std::optional<Worsening> worsened_since(const HistorySeries& series, const Changes& changes,
                                        std::int64_t run, Better better, double min_effect) {
  if (changes.changes.empty()) return std::nullopt;
  const auto then =
      std::ranges::find_if(series.points, [&](const SeriesPoint& p) { return p.run >= run; });
  if (then == series.points.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(then - series.points.begin());
  const double worse = better == Better::lower ? 1 : -1;
  const double net = changes.changes.back().after - level_at(changes, at);
  const Change* most = nullptr;
  for (const Change& c : changes.changes) {
    const double step = worse * (c.after - c.before);
    if (c.end <= at || step <= 0) continue;
    if (most == nullptr || step > worse * (most->after - most->before)) most = &c;
  }
  const double ratio = std::exp(net);
  const bool beyond = better == Better::lower ? ratio > 1 + min_effect : ratio < 1 - min_effect;
  if (most == nullptr || !beyond) return std::nullopt;
  return Worsening{ratio, *most};
}

}  // namespace bench
