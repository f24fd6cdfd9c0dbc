#include "results/trace/analysis.h"

#include <algorithm>
#include <map>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/statistics.h"

namespace bench {
namespace {

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

// The activities of the device with the most time.
std::span<const Activity> busiest_device(const Trace& trace, TraceAnalysis& analysis) {
  std::map<std::int16_t, std::int64_t> time;
  for (const Activity& a : trace.activities) time[a.device] += a.duration_ns;
  if (time.empty()) {
    const std::string why = trace.damage.empty() ? "was it recorded with ProfilerActivity.CUDA?"
                                                 : "it is " + trace.damage;
    fail_usage(format("{} holds nothing that ran on a device ({} events): {}", trace.path,
                      trace.events, why));
  }
  const auto most = std::ranges::max_element(time, {}, [](const auto& e) { return e.second; });
  analysis.device = most->first;
  analysis.other_devices = static_cast<std::int64_t>(time.size()) - 1 + trace.other_devices;
  const auto first = std::ranges::lower_bound(trace.activities, most->first, {}, &Activity::device);
  return {first, std::ranges::upper_bound(first, trace.activities.end(), most->first, {},
                                          &Activity::device)};
}

void add_step_medians(TraceAnalysis& a) {
  std::vector<double> step, busy, idle, host, overlap;
  for (const TraceStep& s : a.steps) {
    if (s.kind != a.kind) continue;
    step.push_back(seconds(s.duration_ns));
    busy.push_back(seconds(s.busy_ns));
    idle.push_back(seconds(s.idle_ns()));
    host.push_back(seconds(s.host_ns));
    overlap.push_back(seconds(s.sum_ns - s.busy_ns));
  }
  a.step_s = median(step);
  a.busy_s = median(busy);
  a.idle_s = median(idle);
  a.host_s = median(host);
  a.overlap_s = median(overlap);
}

void add_rows(const Trace& trace, const StepView& view, TraceAnalysis& a) {
  struct Sum {
    std::int64_t count = 0, ns = 0;
  };
  std::vector<Sum> sums(view.classes.all.size());
  for (std::size_t i = 0; i < view.activities.size(); ++i) {
    const KernelClass& c = view.classes.at(i);
    const std::int64_t ns = view.activities[i].duration_ns;
    a.categories.at(static_cast<std::size_t>(c.category)).total_s += seconds(ns);
    if (!view.in_step(i)) continue;
    ++sums[view.classes.of[i]].count;
    sums[view.classes.of[i]].ns += ns;
  }
  std::int64_t all_ns = 0;
  for (const Sum& sum : sums) all_ns += sum.ns;
  const auto steps = static_cast<double>(view.step_count());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count == 0) continue;
    const KernelClass& c = view.classes.all[i];
    KernelRow row{
        .kernel_class = static_cast<std::uint32_t>(i),
        .name = trace.names[c.name],
        .op = c.op == kNone ? "" : trace.names[trace.ops[c.op].name],
        .category = c.category,
        .shape = trace.shapes[c.shape],
        .work = c.work,
        .count = static_cast<double>(sums[i].count) / steps,
        .seconds = seconds(sums[i].ns) / steps,
        .share = all_ns > 0 ? static_cast<double>(sums[i].ns) / static_cast<double>(all_ns) : 0};
    CategoryTotal& total = a.categories.at(static_cast<std::size_t>(c.category));
    total.seconds += row.seconds;
    total.bytes += static_cast<double>(c.work.bytes()) * row.count;
    a.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(a.rows, std::greater{}, &KernelRow::seconds);
}

void add_timeline(const StepView& view, TraceAnalysis& a) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < view.steps.size(); ++i) {
    if (view.steps[i].kind == view.kind) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return view.steps[i].duration_ns; });
  const std::uint32_t shown = order[order.size() / 2];
  for (std::size_t i = 0; i < view.activities.size(); ++i) {
    if (view.split.of[i] != shown) continue;
    const Activity& activity = view.activities[i];
    a.timeline.push_back({seconds(activity.start_ns - view.steps[shown].begin_ns),
                          seconds(activity.duration_ns), activity.stream,
                          view.classes.at(i).category, view.classes.of[i]});
  }
  constexpr std::size_t kMost = 3000;
  if (a.timeline.size() <= kMost) return;
  std::ranges::stable_sort(a.timeline, std::greater{}, &TimelineBar::seconds);
  a.timeline.resize(kMost);
  std::ranges::stable_sort(a.timeline, {}, &TimelineBar::begin_s);
}

// What the detector found out of a copy holds in the table and the totals too.
void adopt(const Waste& waste, TraceAnalysis& a) {
  const auto row = std::ranges::find(a.rows, waste.kernel_class, &KernelRow::kernel_class);
  const std::int64_t known = row->work.bytes();
  row->work.read_bytes = waste.read_bytes;
  row->work.written_bytes = waste.written_bytes;
  CategoryTotal& total = a.categories.at(static_cast<std::size_t>(row->category));
  total.bytes += static_cast<double>(row->work.bytes() - known) * row->count;
}

}  // namespace

std::int64_t TraceAnalysis::step_count() const {
  return std::ranges::count(steps, kind, &TraceStep::kind);
}

TraceAnalysis analyse(const Trace& trace, const WasteOptions& options) {
  TraceAnalysis a{.path = trace.path,
                  .device_name = trace.device_name,
                  .damage = trace.damage,
                  .note = trace.note,
                  .rank = trace.rank,
                  .world_size = trace.world_size,
                  .bytes = trace.bytes,
                  .events = trace.events,
                  .left_out = trace.left_out,
                  .method = {},
                  .steps = {},
                  .rows = {},
                  .timeline = {},
                  .layers = {},
                  .waste = {}};
  const std::span<const Activity> activities = busiest_device(trace, a);
  const Classes classes = classify(trace, activities);
  StepSplit split = split_steps(trace, classes, activities);
  a.steps = measure_steps(trace, classes, activities, split);
  a.method = split.method;
  a.kernels = std::ranges::count(activities, TraceEventKind::kernel, &Activity::kind);
  a.outside = std::ranges::count(split.of, kNone);
  a.prefill_steps = std::ranges::count(a.steps, StepKind::prefill, &TraceStep::kind);
  const bool only_prefill = a.prefill_steps == static_cast<std::int64_t>(a.steps.size());
  a.kind = only_prefill ? StepKind::prefill : StepKind::decode;
  a.peak_bytes_per_s = peak_bandwidth_per_s(trace.device_name);
  const StepView view{classes, activities, split, a.steps, a.kind};
  add_step_medians(a);
  add_rows(trace, view, a);
  add_timeline(view, a);
  a.layers = find_layers(view);
  a.waste = find_waste(view, options);
  if (const auto active = std::ranges::find_if(a.waste, &Waste::mostly_active);
      active != a.waste.end()) {
    a.active_pool_tokens = active->pool_tokens;
    std::erase_if(a.waste, [](const Waste& w) { return w.mostly_active; });
  }
  for (const Waste& waste : a.waste) adopt(waste, a);
  return a;
}

}  // namespace bench
