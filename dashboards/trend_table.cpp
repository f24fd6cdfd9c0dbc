#include "dashboards/trend_table.h"

#include <algorithm>
#include <array>
#include <functional>

#include "dashboards/compared_runs.h"
#include "dashboards/numbers.h"
#include "dashboards/plot.h"
#include "dashboards/row_text.h"
#include "dashboards/sample_chart.h"
#include "dashboards/table_head.h"
#include "dashboards/text.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::array kTrendColumns{
    TableColumn{"Verdict", "", "verdict", "of the newest run"},
    TableColumn{"Case", "", "workload", "workload and point"},
    TableColumn{"Variant", "", "variant", "the way the step is done"},
    TableColumn{"Metric", "", "metric", "with its unit"},
    TableColumn{"Newest", "num", "", "median over the replicates of the newest run"},
    TableColumn{"Baseline", "num wide", "", "of the run that it is judged by"},
    TableColumn{"Change", "num", "", "newest over baseline"},
    TableColumn{"History", "wide", "", "a point a run"},
    TableColumn{"Last change of level", "wide", "",
                "a step or a drift, and the run at which it began"},
};

constexpr std::size_t kMostTicks = 6;
constexpr std::size_t kMostMarked = 60;   // trends whose every point has its own mark and note
constexpr std::size_t kMostCharts = 30;   // of a page with more trends than that
constexpr std::size_t kMostChanges = 12;  // that are listed

std::string id_of(const Trend& trend) {
  return slug(trend.workload + "-" + trend.label + "-" + trend.variant + "-" + trend.metric);
}

std::optional<double> newest(const Trend& trend) {
  return trend.points.empty() ? std::nullopt : trend.points.back().value;
}

std::vector<double> values_of(const Trend& trend) {
  std::vector<double> values;
  for (const TrendPoint& p : trend.points) {
    if (p.value) values.push_back(*p.value);
  }
  return values;
}

// Dates spread over the points.
std::vector<std::pair<double, std::string>> date_ticks(const Trend& trend) {
  std::vector<std::pair<double, std::string>> ticks;
  const std::size_t count = std::min(kMostTicks, trend.points.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == 1 ? 0 : i * (trend.points.size() - 1) / (count - 1);
    ticks.emplace_back(trend.points[at].started_unix_s,
                       date_text(trend.points[at].started_unix_s).substr(5));
  }
  return ticks;
}

PlotSeries series_of(const Trend& trend, bool marked) {
  const MetricText metric = metric_text(trend.metric);
  const auto scaled = [&](const std::optional<double>& v) {
    return v ? std::optional(*v * metric.scale) : std::nullopt;
  };
  PlotSeries s{.name = trend.variant};
  for (const TrendPoint& p : trend.points) {
    PlotPoint point{.x = p.started_unix_s, .y = scaled(p.value)};
    if (marked) {
      point.low = scaled(p.low);
      point.high = scaled(p.high);
    }
    point.note = format("run {}, {}: {}", p.run, date_text(p.started_unix_s),
                        p.value ? significant(*point.y) : p.reason);
    s.points.push_back(std::move(point));
  }
  return s;
}

// The level at each change, and between.
PlotSeries levels_of(const Trend& trend) {
  const double scale = metric_text(trend.metric).scale;
  PlotSeries s{.name = "level", .look = 1, .mark = Mark::plain};
  const auto add = [&](std::size_t point, double level) {
    s.points.push_back({.x = trend.points[point].started_unix_s, .y = level * scale});
  };
  add(0, trend.changes.front().before);
  for (const LevelChange& c : trend.changes) {
    add(c.begin, c.before);
    add(c.end, c.after);
  }
  add(trend.points.size() - 1, trend.changes.back().after);
  return s;
}

void draw_chart(const Trend& trend, bool marked, Html& page) {
  const MetricText metric = metric_text(trend.metric);
  Plot plot{.title = trend.workload + " " + trend.label + " " + trend.variant,
            .caption =
                "Bars: smallest and largest replicate. Vertical lines: a new level begins. A cross "
                "at the axis: no value that night.",
            .x = {.title = "night", .ticks = date_ticks(trend)},
            .y = {.title = metric.title}};
  plot.series.push_back(series_of(trend, marked));
  if (!trend.changes.empty()) plot.series.push_back(levels_of(trend));
  for (const LevelChange& c : trend.changes) {
    const TrendPoint& p = trend.points[c.begin];
    plot.markers.push_back({p.started_unix_s, "run " + p.run});
  }
  if (trend.baseline && !trend.points.empty()) {
    PlotSeries line{.name = "baseline, run " + trend.baseline_run, .look = 7, .mark = Mark::dashed};
    for (const double x : {trend.points.front().started_unix_s, trend.points.back().started_unix_s})
      line.points.push_back({.x = x, .y = *trend.baseline * metric.scale});
    plot.series.push_back(std::move(line));
  }
  draw(plot, page);
}

void draw_verdict(const Trend& trend, Html& page) {
  if (!trend.verdict) {
    page.element("td", "\u2013", {{"class", "v none"}});
    return;
  }
  const WordLook look = look_of(trend.verdict->word);
  page.open("td", {{"class", "v " + std::string(look.css)}, {"data-s", std::string(look.shape)}});
  page.element("span", to_string(trend.verdict->word)).close();
}

void draw_row(const Trend& trend, Html& page) {
  const MetricText metric = metric_text(trend.metric);
  const auto now = newest(trend);
  const auto figure = [&](const std::optional<double>& v) {
    return v ? significant(*v * metric.scale) : std::string("\u2013");
  };
  page.open("tr", {{"id", id_of(trend)}, {"class", "case"}});
  draw_verdict(trend, page);
  page.open("td").element("b", trend.workload).text(" " + trend.label).close();
  page.element("td", trend.variant).element("td", metric.title);
  page.element("td", figure(now)).element("td", figure(trend.baseline));
  if (now && trend.baseline) {
    const double ratio = shown(*now * metric.scale) / shown(*trend.baseline * metric.scale);
    page.element("td", ratio_text(ratio), {{"data-v", format("{:.4g}", ratio)}});
  } else {
    page.element("td", "\u2013");
  }
  page.open("td");
  draw_spark(values_of(trend), page);
  page.close();
  page.element("td", trend.changes.empty()
                         ? "\u2013"
                         : date_text(trend.points[trend.changes.back().begin].started_unix_s));
  page.close().line();
}

// Which of many trends have a chart: those that changed their level last, then those whose newest
// run is not as its baseline. A year of 200 cases would be 9 MB of flat lines.
std::vector<bool> charted(const std::vector<Trend>& trends) {
  std::vector<bool> chosen(trends.size(), trends.size() <= kMostMarked);
  if (trends.size() <= kMostMarked) return chosen;
  const auto last_change = [&](std::size_t i) {
    const Trend& t = trends[i];
    return t.changes.empty() ? 0 : t.points[t.changes.back().begin].started_unix_s;
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trends.size(); ++i) {
    const auto& verdict = trends[i].verdict;
    const bool as_before = !verdict || verdict->word == Word::unchanged;
    if (!trends[i].changes.empty() || !as_before) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater<>(), last_change);
  order.resize(std::min(order.size(), kMostCharts));
  for (const std::size_t i : order) chosen[i] = true;
  return chosen;
}

void draw_range(const Trend& trend, Html& page) {
  const std::vector<double> values = values_of(trend);
  if (values.empty()) return;
  const MetricText metric = metric_text(trend.metric);
  const auto [low, high] = std::ranges::minmax(values);
  page.element("p", format("{} over {} runs: {} to {}. Each of them: bench history", metric.title,
                           values.size(), significant(low * metric.scale),
                           significant(high * metric.scale)));
}

void draw_details(const Trend& trend, bool marked, bool charted, Html& page) {
  if (trend.verdict)
    page.element(
        "p", format("{}: {}", to_string(trend.verdict->word), short_reason(trend.verdict->reason)));
  for (const LevelChange& c : trend.changes) {
    std::string text = change_words(trend, c);
    if (!c.is_drift() && c.earliest < c.latest)
      text += format(" (it began between run {} and run {})", trend.points[c.earliest].run,
                     trend.points[c.latest].run);
    page.element("p", text);
  }
  if (trend.points.empty()) return;
  if (!charted) return draw_range(trend, page);
  draw_chart(trend, marked, page);
}

struct Listed {
  const Trend* trend;
  const LevelChange* change;
};

std::vector<Listed> newest_changes(const std::vector<Trend>& trends) {
  std::vector<Listed> all;
  for (const Trend& trend : trends) {
    for (const LevelChange& change : trend.changes) all.push_back({&trend, &change});
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const Listed& l) {
    return l.trend->points[l.change->begin].started_unix_s;
  });
  return all;
}

}  // namespace

void draw_changes(const std::vector<Trend>& trends, Html& page) {
  const std::vector<Listed> all = newest_changes(trends);
  if (all.empty()) {
    page.element("p", "No case has changed its level.");
    return;
  }
  page.open("ul", {{"class", "changes"}});
  for (std::size_t i = 0; i < std::min(all.size(), kMostChanges); ++i) {
    const Trend& trend = *all[i].trend;
    const bool worse = is_worse(trend, *all[i].change);
    page.open("li", {{"class", std::string("v ") + (worse ? "bad" : "good")},
                     {"data-s", worse ? "\u25bc" : "\u25b2"}});
    page.text(worse ? "worse " : "better ");
    page.element("a", trend.workload + " " + trend.label + " " + trend.variant,
                 {{"href", "#case=" + id_of(trend)}});
    page.text(
            format(" {}: {}", metric_text(trend.metric).title, change_words(trend, *all[i].change)))
        .close();
  }
  page.close();
  if (all.size() > kMostChanges)
    page.element("p", format("{} earlier ones are with their cases.", all.size() - kMostChanges));
}

void draw_trend_table(const std::vector<Trend>& trends, Html& page) {
  open_table("cases trends", "Every case over the runs", kTrendColumns, page);
  const std::vector<bool> with_chart = charted(trends);
  for (std::size_t i = 0; i < trends.size(); ++i) {
    draw_row(trends[i], page);
    page.open("tr", {{"class", "detail"}})
        .open("td", {{"colspan", format("{}", kTrendColumns.size())}});
    draw_details(trends[i], trends.size() <= kMostMarked, with_chart[i], page);
    page.close().close().line();
  }
  page.close().close().close().line();
}

}  // namespace bench
