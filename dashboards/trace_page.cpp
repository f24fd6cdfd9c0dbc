#include "dashboards/trace_page.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "dashboards/bars.h"
#include "dashboards/figure.h"
#include "dashboards/html.h"
#include "dashboards/numbers.h"
#include "dashboards/page.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr double kTimelineWidth = 1000;
constexpr double kLane = 26;
constexpr std::size_t kLooks = 8;

std::string px(double value) { return format("{:.2f}", value); }

std::string look_of(Category category) {
  return format("k{}", static_cast<std::size_t>(category) % kLooks);
}

std::map<std::uint32_t, std::string> names_of(const TraceAnalysis& a) {
  std::map<std::uint32_t, std::string> names;
  for (const KernelRow& row : a.rows) names[row.kernel_class] = short_kernel_name(row.name, 60);
  return names;
}

// One lane a stream; the title of each bar is what hovering and screen readers tell.
void draw_step_timeline(const TraceAnalysis& a, Html& page) {
  std::map<std::int32_t, std::size_t> lanes;
  double length = 0;
  for (const TimelineBar& bar : a.timeline) {
    lanes.emplace(bar.stream, lanes.size());
    length = std::max(length, bar.begin_s + bar.seconds);
  }
  const auto names = names_of(a);
  page.open("figure", {{"class", "timeline"}, {"style", "max-width:none"}})
      .open("div", {{"class", "plot"}});
  page.open(
      "svg",
      {{"viewBox", format("0 0 {} {}", kTimelineWidth, kLane * static_cast<double>(lanes.size()))},
       {"role", "img"},
       {"aria-label", "one step, kernel by kernel"},
       {"preserveAspectRatio", "none"},
       {"style", format("height:{}px", 60 * lanes.size())}});
  for (const TimelineBar& bar : a.timeline) {
    const double y = kLane * static_cast<double>(lanes.at(bar.stream)) + 2;
    page.open("rect", {{"x", px(bar.begin_s / length * kTimelineWidth)},
                       {"y", px(y)},
                       {"width", px(std::max(bar.seconds / length * kTimelineWidth, 0.05))},
                       {"height", px(kLane - 4)},
                       {"class", "pt " + look_of(bar.category)},
                       {"style", "stroke:none"}});
    page.element("title", format("{}, {} at {}: {}", title_of(bar.category),
                                 format_seconds(Seconds(bar.seconds)),
                                 format_seconds(Seconds(bar.begin_s)), names.at(bar.kernel_class)));
    page.close();
  }
  page.close().open("div", {{"class", "ticks"}, {"aria-hidden", "true"}});
  constexpr int kTicks = 4;
  for (int i = 0; i <= kTicks; ++i) {
    page.element("span", milliseconds(length * i / kTicks) + (i == kTicks ? " ms" : ""));
  }
  page.close().close();
  page.element("figcaption",
               format("The step of median length, {}; a lane a stream; hover for the kernel. The "
                      "colours are those of the bar below.",
                      format_seconds(Seconds(length))));
  page.close().line();
}

void draw_categories(const TraceAnalysis& a, Html& page) {
  Bar bar{.name = a.kind == StepKind::decode ? "decode step" : "prefill step"};
  double busy = 0;
  for (std::size_t i = 0; i < kCategories; ++i) {
    const double seconds = a.categories.at(i).seconds;
    busy += seconds;
    if (seconds > 0) {
      bar.parts.push_back(
          {std::string(title_of(static_cast<Category>(i))), i % kLooks, seconds * 1e3});
    }
  }
  bar.parts.push_back({"idle", 7, std::max(a.step_s - busy, 0.0) * 1e3});
  bar.total = milliseconds(a.step_s) + " ms";
  BarPlot plot{.title = "Where a step goes, ms", .caption = "mean of the steps", .bars = {bar}};
  draw_mark_shapes(page);
  draw(plot, page);
}

void add_table_row(Html& page, std::initializer_list<std::string> texts) {
  page.open("tr");
  for (const std::string& text : texts) page.element("td", text);
  page.close();
}

void begin_table(Html& page, std::initializer_list<const char*> titles) {
  page.open("thead").open("tr");
  for (const char* title : titles) page.element("th", title, {{"scope", "col"}});
  page.close().close().open("tbody");
}

void draw_layers(const TraceAnalysis& a, Html& page) {
  page.open("section", {{"id", "layers"}}).element("h2", "Layers");
  page.open("div").open("table", {{"class", "stages"}});
  begin_table(page, {"of a layer", "ms", "share"});
  double all = 0;
  for (const double seconds : a.layers.category_s) all += seconds;
  for (std::size_t i = 0; i < kCategories; ++i) {
    const double seconds = a.layers.category_s.at(i);
    if (seconds > 0) {
      add_table_row(page, {std::string(title_of(static_cast<Category>(i))), milliseconds(seconds),
                           percent_of(seconds / all)});
    }
  }
  page.close().close().close();
  for (const OutlierLayer& o : a.layers.outliers) {
    page.element("p", format("Layer {} takes {} ms, the median layer {} ms.", o.layer,
                             milliseconds(o.seconds), milliseconds(a.layers.median_s)));
  }
  page.close().line();
}

void draw_kernels(const TraceAnalysis& a, Html& page) {
  page.open("section", {{"id", "kernels"}}).element("h2", "Kernels");
  page.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", "Kernels of a step, longest first"}})
      .open("table", {{"class", "kernels"}});
  begin_table(page, {"kernel", "operator", "what", "ms a step", "share", "launches", "bytes a step",
                     "of peak"});
  for (const KernelRow& row : a.rows) {
    const double bytes = static_cast<double>(row.work.bytes()) * row.count;
    add_table_row(
        page,
        {short_kernel_name(row.name, 90), row.op, std::string(title_of(row.category)),
         milliseconds(row.seconds), percent_of(row.share), significant(row.count, 3),
         bytes > 0 ? format("{}{}", row.work.inferred ? "~" : "", engineering_bytes(bytes)) : "",
         bytes > 0 && a.peak_bytes_per_s > 0 ? percent_of(row.bytes_per_s() / a.peak_bytes_per_s)
                                             : ""});
  }
  page.close().close().close().close().line();
}

}  // namespace

std::string trace_html(const TraceAnalysis& a) {
  const std::string file = std::filesystem::path(a.path).filename().string();
  Html page;
  page.open("header").element("h1", "bench trace: " + file);
  page.element("p", (a.waste.empty() ? "Waste: " : "") + waste_sentence(a) + ".",
               {{"class", "headline"}});
  page.open("dl");
  for (const TraceFact& fact : trace_facts(a)) {
    if (fact.title == "WASTE" || fact.title == "waste") continue;  // the headline says it
    page.element("dt", fact.title.empty() ? "the waste" : fact.title).element("dd", fact.text);
  }
  page.close().close().line();
  page.open("nav", {{"aria-label", "Sections"}});
  for (const char* id : {"step", "layers", "kernels"})
    page.element("a", id, {{"href", format("#{}", id)}});
  page.close().line().open("main").line();
  page.open("section", {{"id", "step"}}).element("h2", "One step");
  draw_step_timeline(a, page);
  draw_categories(a, page);
  page.close().line();
  draw_layers(a, page);
  draw_kernels(a, page);
  page.close().line();
  page.element("footer", "Written by bench. This page loads nothing and sends nothing.");
  return whole_page("bench trace: " + file, page.take());
}

}  // namespace bench
