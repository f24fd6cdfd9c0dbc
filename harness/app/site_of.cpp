#include "harness/app/site_of.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "dashboards/compare_report.h"
#include "dashboards/row_text.h"
#include "dashboards/site.h"
#include "dashboards/verdict_sentence.h"
#include "dashboards/warnings.h"
#include "harness/app/compare_report_of.h"
#include "harness/app/judge.h"
#include "harness/app/report_of.h"
#include "harness/app/shown_runs.h"
#include "harness/app/site_memory.h"
#include "harness/app/times.h"
#include "harness/error.h"
#include "harness/format.h"
#include "harness/parallel.h"
#include "results/query.h"

namespace bench {
namespace {

// Each has a run and its baseline in memory, with all samples.
constexpr std::size_t kMostThreads = 4;

// What each run is compared with.
struct Against {
  std::int64_t run;
  bool pinned;
};

// A run that has to be looked into, and the pages that it lacks.
struct Task {
  const RunLine* line = nullptr;
  std::optional<Against> against{};
  bool page = false;
  bool comparison = false;
  Comparison* newest = nullptr;  // kept there: it is the newest run of its configuration
  SiteRun* entry = nullptr;
};

// A trend whose verdict is not known before the newest run of its configuration is compared.
struct OpenTrend {
  Trend trend;
  std::string case_id;
  const Comparison* newest;
};

// Verdicts that say something first.
std::vector<Trend> judged(std::vector<OpenTrend> open) {
  std::vector<Trend> trends;
  for (OpenTrend& one : open) {
    for (const Row& row : one.newest->rows) {
      if (row.workload == one.trend.workload && row.metric == one.trend.metric &&
          case_id(row.what) == one.case_id)
        one.trend.verdict = row.verdict;
    }
    trends.push_back(std::move(one.trend));
  }
  std::ranges::stable_sort(trends, {}, [](const Trend& trend) {
    return trend.verdict ? std::ranges::find(kWordOrder, trend.verdict->word) : kWordOrder.end();
  });
  return trends;
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
      : store_(store),
        options_(options),
        lines_(list_runs(store)),
        shown_(store.database().path(), kMostThreads + 2),
        memory_(options.folder / "verdicts.json") {
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
    if (!options_.rebuild) memory_.load();
    Site site{.title = "bench: every run"};
    fill(site);
    site.generated = utc_time(unix_now()) + " UTC";
    std::filesystem::path index = options_.folder / "index.html";
    write_file(index.string(), site_html(site));
    memory_.save();
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
    return !options_.rebuild && is_settled(line) &&
           std::filesystem::is_regular_file(options_.folder / page);
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

  // The trends are read while the runs are described.
  void fill(Site& site) {
    site.runs.resize(lines_.size());
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      Task task{.line = &lines_[i], .against = baseline_of(lines_[i]), .entry = &site.runs[i]};
      site.runs[i] = entry_of(task);
      if (!is_known(task)) tasks.push_back(task);
    }
    std::vector<OpenTrend> trends;
    in_parallel(tasks.size() + 1, kMostThreads, [&](std::size_t i) {
      if (i == 0) trends = open_trends();
      if (i > 0) describe(tasks[i - 1]);
    });
    site.trends = judged(std::move(trends));
    for (const Task& task : tasks) {
      if (is_settled(*task.line)) memory_.keep(key_of(task), *task.entry);
    }
  }

  [[nodiscard]] SiteRun entry_of(const Task& task) const {
    const RunLine& line = *task.line;
    SiteRun entry{.run = {.id = format("{} ({})", line.info.number, line.info.id.substr(0, 8)),
                          .name = name_of(line.info),
                          .started = utc_time(line.info.started_unix_s) + " UTC",
                          .tag = line.info.tag,
                          .notes = line.info.notes},
                  .started_unix_s = line.info.started_unix_s,
                  .status = std::string(to_string(line.info.status)),
                  .pinned = line.pinned};
    if (is_kept(line)) {
      entry.page = page_of(line);
      entry.compare_page = compare_page_of(line, task.against);
    }
    if (task.against)
      entry.against = format("run {}{}", task.against->run, task.against->pinned ? ", pinned" : "");
    return entry;
  }

  // Whether the site has all that it says of the run; else the task says what it lacks.
  bool is_known(Task& task) {
    const RunLine& line = *task.line;
    const auto [newest, is_new] = newest_.try_emplace(name_of(line.info));
    if (is_new) task.newest = &newest->second;
    const auto lacks = [&](const std::string& page) {
      return !page.empty() && !is_there(line, page);
    };
    task.page = lacks(task.entry->page);
    task.comparison = lacks(task.entry->compare_page);
    return !is_new && !task.page && !task.comparison && is_settled(line) &&
           memory_.recall(key_of(task), *task.entry);
  }

  static bool is_settled(const RunLine& line) { return line.info.status == RunStatus::complete; }
  static std::string key_of(const Task& task) {
    return format("{}:{}", task.line->info.number, task.against ? task.against->run : 0);
  }

  // Writes what pages the run lacks, and compares it. Several threads do.
  void describe(const Task& task) {
    const LoadSamples samples = task.page || task.comparison ? LoadSamples::yes : LoadSamples::no;
    const auto shown = shown_.get(task.line->info.number, samples);
    SiteRun& entry = *task.entry;
    entry.run = shown->report.run;
    entry.run.name = name_of(task.line->info);
    if (task.page)
      write_file((options_.folder / entry.page).string(),
                 report_html(shown->report, shown->summary));
    entry.run.warnings = trust_warnings(shown->summary);
    if (!task.against) return;
    const auto before = shown_.get(task.against->run, samples);
    const Comparison comparison =
        compare(SidedRun{before->run, before->sides}, {shown->run, shown->sides},
                {.asked = asked_of(shown->run)});
    entry.verdict = verdict_sentence(comparison);
    entry.worst = worst_word(comparison);
    if (task.newest != nullptr) *task.newest = comparison;
    if (task.comparison)
      write_file((options_.folder / entry.compare_page).string(),
                 compare_html({before->report, before->summary}, {shown->report, shown->summary},
                              comparison));
  }

  // Of the cases of the newest run of each configuration, by its runners' main metrics.
  std::vector<OpenTrend> open_trends() const {
    std::vector<OpenTrend> trends;
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
          trends.push_back({trend_of_case(line.info, run.plan[i], asked.metric, series_of_case),
                            case_id(run.plan[i].what), &newest_.at(name_of(line.info))});
          if (gate != nullptr) trends.back().trend.variant += relative_text(gate->relative_to);
        }
      }
    }
    return trends;
  }

  Trend trend_of_case(const RunInfo& newest, const PlannedCase& planned, const std::string& metric,
                      const HistorySeries& series) const {
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
    return trend;
  }

  Store& store_;
  const SiteOptions& options_;
  std::vector<RunLine> lines_;                                          // newest first
  std::map<std::pair<std::string, std::string>, std::int64_t> pinned_;  // by name and host
  bool several_hosts_ = false;
  ShownRuns shown_;
  SiteMemory memory_;
  std::map<std::string, Comparison> newest_;  // of the newest run of each configuration
};

}  // namespace

std::filesystem::path write_site(Store& store, const SiteOptions& options) {
  return SiteWriter(store, options).write();
}

}  // namespace bench
