// bench history: one case over all runs, and when its level changed.

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "dashboards/numbers.h"
#include "harness/app/command.h"
#include "harness/app/metric_flag.h"
#include "harness/app/paths.h"
#include "harness/app/times.h"
#include "harness/format.h"
#include "harness/units.h"
#include "results/history_series.h"

namespace bench {
namespace {

std::string value_text(double value, const MetricInfo& info) {
  return info.unit == "s" ? milliseconds(value) + " ms"
                          : format("{} {}", significant(value), info.unit);
}

std::string percent(double log_ratio) { return format("{:+.2f} %", std::expm1(log_ratio) * 100); }

std::string change_line(const Change& c, const HistorySeries& series, const MetricInfo& info) {
  const auto run = [&](std::size_t at) { return series.points[at].run; };
  const std::string levels =
      format("{} -> {}, {}", value_text(std::exp(c.before), info),
             value_text(std::exp(c.after), info), percent(c.after - c.before));
  if (c.is_drift()) {
    return format("drift from run {} to run {}: {} a run, {}, p {:.2g}", run(c.begin), run(c.end),
                  percent(c.slope()), levels, c.p);
  }
  const std::string place = c.earliest == c.latest
                                ? std::string()
                                : format(", or between {} and {}", run(c.earliest), run(c.latest));
  return format("step at run {}{}: {}, p {:.2g}", run(c.begin), place, levels, c.p);
}

// One block a run, from the lowest value to the highest.
std::string spark_line(const HistorySeries& series) {
  constexpr std::array kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto [low, high] = std::ranges::minmax(series.points, {}, &SeriesPoint::value);
  const double span = high.value - low.value;
  std::string text;
  for (const SeriesPoint& point : series.points) {
    const double share = span > 0 ? (point.value - low.value) / span : 0;
    text += kBlocks.at(static_cast<std::size_t>(std::lround(share * (kBlocks.size() - 1))));
  }
  return text;
}

void print_series(const HistorySeries& series, const Changes& changes, const MetricInfo& info,
                  std::size_t last) {
  std::cout << format("{}: {} runs", series.workload, series.points.size());
  if (!series.left_out.empty()) {
    std::cout << format(", {} left out (another machine or definition, a shared CPU, or no result)",
                        series.left_out.size());
  }
  std::cout << '\n';
  if (series.points.empty()) return;
  std::cout << spark_line(series) << '\n';
  const std::size_t first = series.points.size() - std::min(last, series.points.size());
  for (std::size_t i = first; i < series.points.size(); ++i) {
    const SeriesPoint& point = series.points[i];
    std::cout << format("  run {:>5}  {}  {}", point.run, utc_time(point.started_unix_s),
                        value_text(point.value, info));
    for (const Change& c : changes.changes) {
      if (c.begin == i) std::cout << (c.is_drift() ? "  <- drift begins" : "  <- step");
    }
    std::cout << '\n';
  }
  for (const Change& c : changes.changes) std::cout << change_line(c, series, info) << '\n';
  if (changes.changes.empty()) std::cout << "no lasting change\n";
  std::cout << format("noise {:.2f} % from run to run\n", changes.noise * 100);
}

StoredCase one_case(Store& store, const std::string& pattern) {
  const std::vector<StoredCase> found = find_cases(store, pattern);
  if (found.size() == 1) return found.front();
  if (found.empty()) fail_usage(format("no case matches '{}'", pattern));
  constexpr std::size_t kShown = 20;
  std::string text = format("{} cases match '{}'; name one by its id:", found.size(), pattern);
  for (std::size_t i = 0; i < std::min(kShown, found.size()); ++i) {
    text += format("\n  {}  {}", found[i].id, found[i].canonical);
  }
  if (found.size() > kShown) text += format("\n  ... and {} more", found.size() - kShown);
  fail_usage(text);
}

Exit run_history(const Arguments& arguments) {
  const std::string metric = arguments.get("metric").value_or("tpot_s");
  const MetricInfo* info = &metric_of_flag(metric);
  const std::string form = arguments.get("format").value_or("text");
  if (form != "text" && form != "json") fail_usage("--format: write text or json");
  const auto last = static_cast<std::size_t>(arguments.count("last", 1).value_or(30));
  Store store(database_path(arguments.get("db").value_or("")).string(), Access::read);
  const StoredCase found = one_case(store, *arguments.positional(0));
  if (form == "text") std::cout << format("{} of {}  {}\n", metric, found.id, found.canonical);
  for (const HistorySeries& series : series_of(history(store, found.id, metric))) {
    const Changes changes = changes_of(series);
    if (form == "json") {
      std::cout << history_json(series, changes, found.id, metric) << '\n';
    } else {
      print_series(series, changes, *info, last);
    }
  }
  return Exit::ok;
}

const Register<Command> kHistoryCommand{{
    .name = "history",
    .summary = "one case over all runs: its steps and drifts, and where each began",
    .positionals = "CASE",
    .flags =
        {
            {"metric", "NAME", "which metric; else tpot_s"},
            {"last", "N", "list this many runs; else 30"},
            {"format", "FORMAT", "text, or json with a line a workload"},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench history 'native_fp8 context=4096'",
    .run = run_history,
}};

}  // namespace
}  // namespace bench
