#include "harness/app/site_of.h"

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>

#include "dashboards/row_text.h"
#include "dashboards/site.h"
#include "dashboards/verdict_sentence.h"
#include "dashboards/warnings.h"
#include "harness/app/compare_report_of.h"
#include "harness/app/report_of.h"
#include "harness/app/times.h"
#include "harness/error.h"
#include "harness/format.h"
#include "results/query.h"

namespace bench {
namespace {

// What each run is compared with.
struct Against {
  std::int64_t run;
  bool pinned;
};

class SiteWriter {
 public:
  SiteWriter(Store& store, const SiteOptions& options)
      : store_(store), options_(options), lines_(list_runs(store)) {
    for (const Baseline& baseline : list_baselines(store))
      pinned_[baseline.configuration] = baseline.run;
  }

  std::filesystem::path write() {
    std::error_code error;
    std::filesystem::create_directories(options_.folder, error);
    if (error)
      fail_usage(
          format("--site {}: cannot be made: {}", options_.folder.string(), error.message()));
    Site site{.title = "bench: every run"};
    for (const RunLine& line : lines_) site.runs.push_back(add_run(line));
    add_trends(site);
    std::ranges::stable_sort(site.trends, {}, [](const Trend& trend) {
      return trend.verdict ? std::ranges::find(kWordOrder, trend.verdict->word) : kWordOrder.end();
    });
    site.generated = utc_time(unix_now()) + " UTC";
    std::filesystem::path index = options_.folder / "index.html";
    write_file(index.string(), site_html(site));
    return index;
  }

 private:
  std::optional<Against> baseline_of(const RunLine& line) const {
    const auto pinned = pinned_.find(line.info.name);
    if (pinned != pinned_.end() && pinned->second != line.info.number)
      return Against{pinned->second, true};
    for (const RunLine& other : lines_) {  // newest first
      if (other.info.name == line.info.name && other.info.status == RunStatus::complete &&
          other.info.fingerprint == line.info.fingerprint &&
          other.info.started_unix_s < line.info.started_unix_s)
        return Against{other.info.number, false};
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_there(const RunLine& line, const std::string& page) const {
    return !options_.rebuild && line.info.status == RunStatus::complete &&
           std::filesystem::exists(options_.folder / page);
  }

  // The last one is kept: most runs have the same baseline.
  const RunRecord& baseline(std::int64_t run, LoadSamples samples) {
    const bool known = baseline_.info.number == run && baseline_samples_ >= samples;
    if (!known) baseline_ = load_run(store_, run, samples);
    if (!known) baseline_samples_ = samples;
    return baseline_;
  }

  SiteRun add_run(const RunLine& line) {
    const bool newest = newest_.try_emplace(line.info.name).second;
    const auto against = baseline_of(line);
    const std::int64_t number = line.info.number;
    const std::string page = format("run-{}.html", number);
    const std::string compare_page =
        against ? format("compare-{}-{}.html", against->run, number) : std::string();
    const bool new_page = !is_there(line, page);
    const bool new_comparison = against && !is_there(line, compare_page);
    const LoadSamples samples = new_page || new_comparison ? LoadSamples::yes : LoadSamples::no;
    const RunRecord run = load_run(store_, number, samples);
    const RunReport report = report_of(run);
    if (new_page) write_file((options_.folder / page).string(), report_html(report));
    SiteRun entry{.run = report.run,
                  .started_unix_s = line.info.started_unix_s,
                  .status = std::string(to_string(line.info.status)),
                  .page = page,
                  .compare_page = compare_page,
                  .pinned = line.pinned};
    entry.run.warnings =
        trust_warnings(summarize(report.workloads, report.measurements, report.copy_bytes_per_s));
    if (!against) return entry;
    const RunRecord& before = baseline(against->run, samples);
    const Comparison comparison = compare(before, run);
    entry.against = format("run {}{}", against->run, against->pinned ? ", pinned" : "");
    entry.verdict = verdict_sentence(comparison);
    entry.worst = worst_word(comparison);
    if (newest) newest_[line.info.name] = comparison;
    if (new_comparison)
      write_file((options_.folder / compare_page).string(),
                 compare_html(compare_report_of(before, run)));
    return entry;
  }

  // Of the cases of the newest run of each configuration, by its runner's main metrics.
  void add_trends(Site& site) {
    std::vector<std::string> done;
    for (const RunLine& line : lines_) {
      if (std::ranges::find(done, line.info.name) != done.end()) continue;
      done.push_back(line.info.name);
      const RunRecord run = load_run(store_, line.info.number, LoadSamples::no);
      for (const PlannedCase& planned : run.plan) {
        if (!planned.skip.empty()) continue;
        for (const Asked& asked : main_metrics(planned.what.runner))
          add_trend(line.info.name, planned, asked.metric, site);
      }
    }
  }

  void add_trend(const std::string& configuration, const PlannedCase& planned,
                 const std::string& metric, Site& site) {
    const auto pinned = pinned_.find(configuration);
    const std::vector<HistoryPoint> points = history(store_, case_id(planned.what), metric);
    for (const HistorySeries& series : series_of(points)) {
      if (series.workload != planned.workload || series.points.empty()) continue;
      Trend trend = trend_of(series, changes_of(series), points);
      trend.label = planned.label;
      trend.variant = planned.what.variant;
      trend.metric = metric;
      for (const SeriesPoint& p : series.points) {
        if (pinned == pinned_.end() || p.run != pinned->second) continue;
        trend.baseline = p.value;
        trend.baseline_run = format("{}", p.run);
      }
      for (const Row& row : newest_[configuration].rows) {
        if (row.workload == planned.workload && row.metric == metric &&
            case_id(row.what) == case_id(planned.what))
          trend.verdict = row.verdict;
      }
      site.trends.push_back(std::move(trend));
    }
  }

  Store& store_;
  const SiteOptions& options_;
  std::vector<RunLine> lines_;  // newest first
  std::map<std::string, std::int64_t> pinned_;
  RunRecord baseline_;
  LoadSamples baseline_samples_ = LoadSamples::no;
  std::map<std::string, Comparison> newest_;  // of the newest run of each configuration
};

}  // namespace

std::filesystem::path write_site(Store& store, const SiteOptions& options) {
  return SiteWriter(store, options).write();
}

}  // namespace bench
