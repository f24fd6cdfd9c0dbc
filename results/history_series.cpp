#include "results/history_series.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/format.h"
#include "harness/statistics.h"
#include "results/rows.h"
#include "results/side.h"

namespace bench {
namespace {

// What one run measured of the case.
struct RunNight {
  std::int64_t run = 0;
  std::string run_id;
  double started_unix_s = 0;
  std::string fingerprint;
  std::vector<double> values{};
  int version = 0;                   // of the metric's definition
  std::string reason{};              // of the first replicate that did not end well
  std::vector<double> others_cpu{};  // of the CPU, a replicate
};

using SeriesPlace = std::pair<std::string, std::string>;  // workload, host

void add_replicate(RunNight& night, Status status, const std::string& reason,
                   const std::optional<double>& value, int version) {
  if (status == Status::ok && value && *value > 0) {
    night.values.push_back(*value);
    night.version = version;
  } else if (status != Status::ok && night.reason.empty()) {
    night.reason = std::string(to_string(status)) + (reason.empty() ? "" : ": " + reason);
  }
}

std::vector<RunNight> nights_of(const std::vector<HistoryPoint>& points, const SeriesPlace& place,
                                std::int64_t last_run) {
  std::vector<RunNight> nights;
  for (const HistoryPoint& p : points) {
    if (SeriesPlace{p.workload, p.host} != place || (last_run != 0 && p.run > last_run)) continue;
    if (nights.empty() || nights.back().run != p.run) {
      nights.push_back({p.run, p.run_id, p.started_unix_s, p.fingerprint});
    }
    add_replicate(nights.back(), p.status, p.reason, p.value, p.version);
    if (p.others_cpu) nights.back().others_cpu.push_back(*p.others_cpu);
  }
  return nights;
}

// `nights`: oldest first.
HistorySeries series_at(const SeriesPlace& place, const std::vector<RunNight>& nights) {
  HistorySeries series{.workload = place.first, .host = place.second, .points = {}};
  const auto newest = std::ranges::find_if(nights.rbegin(), nights.rend(),
                                           [](const RunNight& n) { return !n.values.empty(); });
  for (const RunNight& night : nights) {
    const bool comparable = !night.values.empty() && night.fingerprint == newest->fingerprint &&
                            night.version == newest->version;
    std::string reason = disturbed(night.others_cpu);
    if (!comparable) reason = night.reason;
    if (!comparable && reason.empty()) {
      reason = "measured on another machine or by another definition";
    }
    if (!reason.empty()) {
      series.left_out.push_back({night.run, night.started_unix_s, std::move(reason)});
      continue;
    }
    const auto [low, high] = std::ranges::minmax(night.values);
    series.points.push_back({night.run, night.run_id, night.started_unix_s, median(night.values),
                             low, high, std::ssize(night.values)});
  }
  return series;
}

std::string join_others(std::int64_t kind) {
  return format("LEFT JOIN metrics o ON o.measurement_id = m.id AND o.kind_id = {}", kind);
}

// By far the most rows of a store are read here: texts only where they are needed. The runs come
// first, by their date, so that nothing has to be sorted.
std::vector<std::vector<RunNight>> nights_of_plan(Store& store, const RunInfo& run,
                                                  std::size_t planned, std::string_view metric,
                                                  std::int64_t last_run) {
  std::vector<std::vector<RunNight>> cases(planned);
  // Most stores never heard of others on the CPU: they need not look for it in every measurement.
  const std::int64_t others = store.database().integer(
      "SELECT coalesce(max(id), 0) FROM metric_kinds WHERE name = "
      "'others_cpu_share'");
  auto rows = store.database().prepare(format(R"sql(
      SELECT q.position, r.id, m.status, x.value, coalesce(k.version, 0), r.uuid, r.started_unix_s,
             r.fingerprint, m.reason, {}
      FROM runs r
        CROSS JOIN planned_cases p ON p.run_id = r.id
        CROSS JOIN planned_cases q
          ON q.run_id = ?1 AND q.workload = p.workload AND q.case_id = p.case_id AND q.skip = ''
        CROSS JOIN measurements m ON m.planned_id = p.id
        LEFT JOIN metrics x ON x.measurement_id = m.id
          AND x.kind_id IN (SELECT id FROM metric_kinds WHERE name = ?2)
        LEFT JOIN metric_kinds k ON k.id = x.kind_id
        {}
      WHERE r.host = ?3 AND (?4 = 0 OR r.id <= ?4) AND {}
      ORDER BY r.started_unix_s, r.uuid)sql",
                                              others == 0 ? "NULL" : "o.value",
                                              others == 0 ? std::string() : join_others(others),
                                              kNoRecheck));
  for (rows.bind(run.number, metric, run.host, last_run); rows.step();) {
    std::vector<RunNight>& nights = cases.at(static_cast<std::size_t>(rows.integer(0)));
    const std::int64_t number = rows.integer(1);
    if (nights.empty() || nights.back().run != number) {
      nights.push_back({number, rows.text(5), rows.real(6), rows.text(7)});
    }
    const Status status = status_from(rows.text(2));
    add_replicate(nights.back(), status, status == Status::ok ? std::string() : rows.text(8),
                  rows.maybe_real(3), static_cast<int>(rows.integer(4)));
    if (const auto share = rows.maybe_real(9)) nights.back().others_cpu.push_back(*share);
  }
  return cases;
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
  std::vector<SeriesPlace> places;
  for (const HistoryPoint& point : points) {
    SeriesPlace place{point.workload, point.host};
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  std::vector<HistorySeries> all;
  all.reserve(places.size());
  for (const SeriesPlace& place : places) {
    all.push_back(series_at(place, nights_of(points, place, last_run)));
  }
  return all;
}

std::vector<HistorySeries> series_of_plan(Store& store, std::int64_t run, std::string_view metric,
                                          std::int64_t last_run) {
  const Transaction one_moment(store.database(), Access::read);
  const RunInfo info = load_info(store, run);
  std::vector<std::string> workloads;  // of each planned case
  auto rows = store.database().prepare(
      "SELECT workload FROM planned_cases WHERE run_id = ?1 ORDER BY position");
  for (rows.bind(run); rows.step();) workloads.push_back(rows.text(0));
  const auto nights = nights_of_plan(store, info, workloads.size(), metric, last_run);
  std::vector<HistorySeries> all;
  all.reserve(nights.size());
  for (std::size_t i = 0; i < nights.size(); ++i) {
    all.push_back(series_at({workloads[i], info.host}, nights[i]));
  }
  return all;
}

HistorySeries relative_series(const HistorySeries& series, const HistorySeries& control) {
  HistorySeries relative{
      .workload = series.workload, .host = series.host, .points = {}, .left_out = series.left_out};
  for (SeriesPoint point : series.points) {
    const auto beside = std::ranges::find(control.points, point.run, &SeriesPoint::run);
    if (beside == control.points.end()) continue;
    point.value /= beside->value;
    point.low /= beside->value;
    point.high /= beside->value;
    relative.points.push_back(std::move(point));
  }
  return relative;
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
