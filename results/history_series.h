#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/change_points.h"
#include "results/query.h"

namespace bench {

// A metric of one case over the runs of one workload on one host, oldest first.
struct SeriesPoint {
  std::int64_t run;
  std::string run_id;
  double started_unix_s;
  double value;             // median of the run's replicates
  double low, high;         // of them
  std::int64_t replicates;  // that ended well
};
// A run that is no part of a series: measured on another machine or by another definition than the
// newest, on a CPU that others used too (disturbed() of side.h), or without a result.
struct LeftOut {
  std::int64_t run;
  double started_unix_s;
  std::string reason;
};
struct HistorySeries {
  std::string workload;
  std::string host;
  std::vector<SeriesPoint> points;
  std::vector<LeftOut> left_out = {};
};

// One series a workload and host. Runs after `last_run` are ignored; 0: none is.
std::vector<HistorySeries> series_of(const std::vector<HistoryPoint>& points,
                                     std::int64_t last_run = 0);

// The series of every case that `run` set out to measure, each at its place in the plan, over the
// runs on its host: in one pass over the store. A case that was skipped has no points.
std::vector<HistorySeries> series_of_plan(Store& store, std::int64_t run, std::string_view metric,
                                          std::int64_t last_run = 0);

// Changes of the logarithm of the values: levels and slopes are log ratios.
Changes changes_of(const HistorySeries& series);

// The series over that of a variant that was measured in turn with it: medians over medians, of the
// runs that both have.
HistorySeries relative_series(const HistorySeries& series, const HistorySeries& control);

// The level of run `run` and the newest one, where changes after that run made it worse by
// `min_effect` or more.
struct Worsening {
  double ratio;   // newest level / level then
  Change change;  // the one that did most of it
};
std::optional<Worsening> worsened_since(const HistorySeries& series, const Changes& changes,
                                        std::int64_t run, Better better, double min_effect);

// The series with its changes as one JSON object:
//   schema_version 1, case, metric, unit, workload, left_out, noise, autocorrelation,
//   points [{run, run_id, started_unix_s, value, replicates}],
//   changes [{kind: step or drift, run, earliest_run, latest_run, end_run, before, after, ratio,
//             slope_per_run, p}]
std::string history_json(const HistorySeries& series, const Changes& changes,
                         const std::string& case_id, const std::string& metric);

}  // namespace bench
