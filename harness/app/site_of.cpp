#include "harness/app/site_of.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "dashboards/row_text.h"
#include "dashboards/site.h"
#include "dashboards/verdict_sentence.h"
#include "dashboards/warnings.h"
#include "harness/app/compare_report_of.h"
#include "harness/app/judge.h"
#include "harness/app/plan_options.h"
#include "harness/app/report_of.h"
#include "harness/app/site_memory.h"
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

// The gates of the configuration; none where this bench cannot read it any more.
std::vector<Gate> known_gates_of(const RunRecord& run) {
  try {
    return gates_of(run.info);
  } catch (const Error&) {
    return {};
  }
}

// What the gates ask, and the main metrics of what they leave out.
std::vector<Asked> asked_of(const RunRecord& run) {
  std::vector<Asked> asked = asked_by(known_gates_of(run));
  if (asked.empty()) return asked;
  for (const PlannedCase& planned : run.plan) {
    for (Asked main : main_metrics(planned.what.runner)) {
      const bool known = std::ranges::any_of(asked, [&](const Asked& a) {
        return a.workload == planned.workload && a.metric == main.metric;
      });
      main.workload = planned.workload;
      if (!known) asked.push_back(std::move(main));
    }
  }
  return asked;
}

// The gate that judges a metric of a planned case beside a control; none: it is judged as measured.
const Gate* relative_gate(const std::vector<Gate>& gates, const PlannedCase& planned,
                          const std::string& metric) {
  const auto gate = std::ranges::find_if(gates, [&](const Gate& g) {
    return g.workload == planned.workload && g.metric == metric && !g.relative_to.empty() &&
           g.relative_to != planned.what.variant;
  });
  return gate == gates.end() ? nullptr : &*gate;
}

// The series that such a gate judges, in the units of the newest run.
HistorySeries beside_control(const RunRecord& run, const Gate& gate, std::size_t at,
                             const std::vector<HistorySeries>& all) {
  auto series = judged_series(run, gate, at, all);
  if (!series || series->points.empty()) return all.at(at);
  const double scale = all.at(at).points.back().value / series->points.back().value;
  for (SeriesPoint& point : series->points) {
    for (double* value : {&point.value, &point.low, &point.high}) *value *= scale;
  }
  return *series;
}

class SiteWriter {
 public:
  SiteWriter(Store& store, const SiteOptions& options)
      : store_(store), options_(options), lines_(list_runs(store)) {
    std::erase_if(lines_, [](const RunLine& line) { return is_recheck(line.info.name); });
    for (const Baseline& baseline : list_baselines(store))
      pinned_[{baseline.configuration, baseline.host}] = baseline.run;
    std::set<std::string> hosts;
    for (const RunLine& line : lines_) hosts.insert(line.info.host);
    several_hosts_ = hosts.size() > 1;
  }

  std::filesystem::path write() {
    std::error_code error;
    std::filesystem::create_directories(options_.folder, error);
    if (error)
      fail_usage(
          format("--site {}: cannot be made: {}", options_.folder.string(), error.message()));
    SiteMemory memory(options_.folder / "verdicts.json");
    if (!options_.rebuild) memory.load();
    memory_ = &memory;
    Site site{.title = "bench: every run"};
    for (const RunLine& line : lines_) site.runs.push_back(add_run(line));
    add_trends(site);
    std::ranges::stable_sort(site.trends, {}, [](const Trend& trend) {
      return trend.verdict ? std::ranges::find(kWordOrder, trend.verdict->word) : kWordOrder.end();
    });
    site.generated = utc_time(unix_now()) + " UTC";
    std::filesystem::path index = options_.folder / "index.html";
    write_file(index.string(), site_html(site));
    memory.save();
    remove_old_pages();
    return index;
  }

 private:
  std::optional<Against> baseline_of(const RunLine& line) const {
    const auto pinned = pinned_.find({line.info.name, line.info.host});
    if (pinned != pinned_.end() && pinned->second != line.info.number)
      return Against{pinned->second, true};
    for (const RunLine& other : lines_) {  // newest first
      if (other.info.name == line.info.name && other.info.host == line.info.host &&
          other.info.status == RunStatus::complete &&
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

  // Boxes side by side: a name for each where there are several.
  [[nodiscard]] std::string name_of(const RunInfo& info) const {
    return several_hosts_ ? format("{} on {}", info.name, info.host) : info.name;
  }

  [[nodiscard]] bool is_kept(const RunLine& line) const {
    return !options_.keep ||
           line.info.started_unix_s >= lines_.front().info.started_unix_s - options_.keep->count();
  }

  void remove_old_pages() const {
    for (const RunLine& line : lines_) {
      if (is_kept(line)) continue;
      const auto against = baseline_of(line);
      std::error_code ignored;
      std::filesystem::remove(options_.folder / page_of(line), ignored);
      std::filesystem::remove(options_.folder / compare_page_of(line, against), ignored);
    }
  }

  static std::string page_of(const RunLine& line) {
    return format("run-{}.html", line.info.number);
  }
  static std::string compare_page_of(const RunLine& line, const std::optional<Against>& against) {
    return against ? format("compare-{}-{}.html", against->run, line.info.number) : std::string();
  }

  SiteRun add_run(const RunLine& line) {
    const bool newest = newest_.try_emplace(name_of(line.info)).second;
    const auto against = baseline_of(line);
    const bool kept = is_kept(line);
    const std::string page = kept ? page_of(line) : std::string();
    const std::string compare_page = kept ? compare_page_of(line, against) : std::string();
    SiteRun entry{.run = {.id = format("{} ({})", line.info.number, line.info.id.substr(0, 8)),
                          .name = name_of(line.info),
                          .started = utc_time(line.info.started_unix_s) + " UTC",
                          .tag = line.info.tag,
                          .notes = line.info.notes},
                  .started_unix_s = line.info.started_unix_s,
                  .status = std::string(to_string(line.info.status)),
                  .page = page,
                  .compare_page = compare_page,
                  .pinned = line.pinned};
    if (against)
      entry.against = format("run {}{}", against->run, against->pinned ? ", pinned" : "");
    const bool new_page = kept && !is_there(line, page);
    const bool new_comparison = kept && against && !is_there(line, compare_page);
    const std::string key = format("{}:{}", line.info.number, against ? against->run : 0);
    const bool settled = line.info.status == RunStatus::complete;
    if (!newest && !new_page && !new_comparison && settled && memory_->recall(key, entry)) {
      return entry;
    }
    describe(line, against, {new_page, new_comparison, newest}, entry);
    if (settled) memory_->keep(key, entry);
    return entry;
  }

  struct Wanted {
    bool page, comparison, newest;
  };

  // Loads the run, writes what pages it lacks, and compares it.
  void describe(const RunLine& line, const std::optional<Against>& against, const Wanted& wanted,
                SiteRun& entry) {
    const LoadSamples samples =
        wanted.page || wanted.comparison ? LoadSamples::yes : LoadSamples::no;
    const RunRecord run = load_run(store_, line.info.number, samples);
    const RunReport report = report_of(run);
    entry.run = report.run;
    entry.run.name = name_of(line.info);
    if (wanted.page) write_file((options_.folder / entry.page).string(), report_html(report));
    entry.run.warnings =
        trust_warnings(summarize(report.workloads, report.measurements, report.copy_bytes_per_s));
    if (!against) return;
    const RunRecord& before = baseline(against->run, samples);
    CompareOptions options;
    options.asked = asked_of(run);
    const Comparison comparison = compare(before, run, options);
    entry.verdict = verdict_sentence(comparison);
    entry.worst = worst_word(comparison);
    if (wanted.newest) newest_[name_of(line.info)] = comparison;
    if (wanted.comparison)
      write_file((options_.folder / entry.compare_page).string(),
                 compare_html(compare_report_of(before, run, options)));
  }

  // Of the cases of the newest run of each configuration, by its runners' main metrics.
  void add_trends(Site& site) {
    std::set<std::string> done;
    for (const RunLine& line : lines_) {
      if (!done.insert(name_of(line.info)).second) continue;
      const RunRecord run = load_run(store_, line.info.number, LoadSamples::no);
      std::map<std::string, std::vector<HistorySeries>> series;  // by metric
      for (const std::string& metric : main_metrics_of(run.plan)) {
        series[metric] = series_of_plan(store_, line.info.number, metric);
      }
      const std::vector<Gate> gates = known_gates_of(run);
      for (std::size_t i = 0; i < run.plan.size(); ++i) {
        for (const Asked& asked : main_metrics(run.plan[i].what.runner)) {
          const auto known = series.find(asked.metric);
          if (known == series.end() || known->second.at(i).points.empty()) continue;
          const Gate* gate = relative_gate(gates, run.plan[i], asked.metric);
          const HistorySeries series_of_case =
              gate == nullptr ? known->second.at(i) : beside_control(run, *gate, i, known->second);
          site.trends.push_back(
              trend_of_case(line.info, run.plan[i], asked.metric, series_of_case));
          if (gate != nullptr) site.trends.back().variant += relative_text(gate->relative_to);
        }
      }
    }
  }

  Trend trend_of_case(const RunInfo& newest, const PlannedCase& planned, const std::string& metric,
                      const HistorySeries& series) {
    Trend trend = trend_of(series, changes_of(series));
    trend.label = planned.label;
    if (several_hosts_) trend.label += (trend.label.empty() ? "on " : ", on ") + newest.host;
    trend.variant = planned.what.variant;
    trend.metric = metric;
    const auto pinned = pinned_.find({newest.name, newest.host});
    for (const SeriesPoint& p : series.points) {
      if (pinned == pinned_.end() || p.run != pinned->second) continue;
      trend.baseline = p.value;
      trend.baseline_run = format("{}", p.run);
    }
    const std::string id = case_id(planned.what);
    for (const Row& row : newest_[name_of(newest)].rows) {
      if (row.workload == planned.workload && row.metric == metric && case_id(row.what) == id)
        trend.verdict = row.verdict;
    }
    return trend;
  }

  Store& store_;
  const SiteOptions& options_;
  std::vector<RunLine> lines_;                                          // newest first
  std::map<std::pair<std::string, std::string>, std::int64_t> pinned_;  // by name and host
  bool several_hosts_ = false;
  SiteMemory* memory_ = nullptr;
  RunRecord baseline_;
  LoadSamples baseline_samples_ = LoadSamples::no;
  std::map<std::string, Comparison> newest_;  // of the newest run of each configuration
};

}  // namespace

std::filesystem::path write_site(Store& store, const SiteOptions& options) {
  return SiteWriter(store, options).write();
}

}  // namespace bench
