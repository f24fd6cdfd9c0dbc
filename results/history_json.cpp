#include <cmath>

#include "results/history_series.h"
#include "results/json_writer.h"

namespace bench {
namespace {

constexpr int kHistoryVersion = 1;

void write_change(JsonWriter& out, const HistorySeries& series, const Change& c) {
  const auto run = [&](std::size_t at) { return series.points[at].run; };
  out.begin_object().member("kind", c.is_drift() ? "drift" : "step");
  out.member("run", run(c.begin)).member("earliest_run", run(c.earliest));
  out.member("latest_run", run(c.latest)).member("end_run", run(c.end));
  out.member("before", std::exp(c.before)).member("after", std::exp(c.after));
  out.member("ratio", std::exp(c.after - c.before));
  out.member("slope_per_run", std::expm1(c.slope())).member("p", c.p).end_object();
}

}  // namespace

std::string history_json(const HistorySeries& series, const Changes& changes,
                         const std::string& case_id, const std::string& metric) {
  const MetricInfo* info = find_metric(metric);
  JsonWriter out;
  out.begin_object().member("schema_version", kHistoryVersion).member("case", case_id);
  out.member("metric", metric).member("unit", info == nullptr ? "" : info->unit);
  out.member("workload", series.workload).member("left_out", std::ssize(series.left_out));
  out.member("noise", changes.noise).member("autocorrelation", changes.autocorrelation);
  out.key("points").begin_array();
  for (const SeriesPoint& point : series.points) {
    out.begin_object().member("run", point.run).member("run_id", point.run_id);
    out.member("started_unix_s", point.started_unix_s).member("value", point.value);
    out.member("replicates", point.replicates).end_object();
  }
  out.end_array().key("changes").begin_array();
  for (const Change& c : changes.changes) write_change(out, series, c);
  out.end_array().end_object();
  return out.take();
}

}  // namespace bench
