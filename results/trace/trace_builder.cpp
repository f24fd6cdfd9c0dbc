#include "results/trace/trace_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace bench {
namespace {

template <typename T>
T clamped(std::int64_t value) {
  return static_cast<T>(std::clamp<std::int64_t>(value, std::numeric_limits<T>::min(),
                                                 std::numeric_limits<T>::max()));
}

}  // namespace

void TraceBuilder::add(const TraceEvent& event) {
  if (event.kind == TraceEventKind::op) {
    if (event.dims.empty() || event.external_id == 0) return;
    ops_.push_back({event.external_id, static_cast<std::uint32_t>(trace_.ops.size())});
    trace_.ops.push_back({trace_.names.add(event.name), trace_.names.add(event.dims),
                          trace_.names.add(event.types)});
    return;
  }
  if (!event.has_time || event.duration_ns < 0) {
    ++trace_.left_out;
    return;
  }
  if (event.kind == TraceEventKind::runtime) {
    if (event.correlation == 0) return;
    launches_.push_back({event.correlation, static_cast<std::uint32_t>(trace_.launches.size())});
    launch_external_.push_back(event.external_id);
    trace_.launches.push_back(
        {event.start_ns, event.start_ns + event.duration_ns, trace_.names.add(event.name)});
  } else if (event.kind == TraceEventKind::annotation) {
    trace_.ranges.push_back({event.start_ns, event.start_ns + event.duration_ns,
                             trace_.names.add(event.name), trace_.names.add(event.thread)});
  } else if (event.kind != TraceEventKind::gpu_annotation && event.kind != TraceEventKind::other) {
    add_activity(event);
  }
}

void TraceBuilder::add_activity(const TraceEvent& event) {
  std::int64_t device = event.device;
  if (device < 0) read_whole(event.process, device);
  std::int64_t stream = event.stream;
  if (stream < 0) read_whole(event.thread, stream);
  trace_.activities.push_back({.start_ns = event.start_ns,
                               .duration_ns = event.duration_ns,
                               .name = trace_.names.add(event.name),
                               .shape = shape_of(event),
                               .stream = clamped<std::int32_t>(stream),
                               .device = clamped<std::int16_t>(device),
                               .kind = event.kind});
  pending_.push_back({event.correlation, event.external_id});
}

std::uint32_t TraceBuilder::shape_of(const TraceEvent& event) {
  const LaunchShape shape{event.grid, event.block,
                          event.kind == TraceEventKind::kernel ? 0 : times(event.bytes, 1)};
  const auto [found, is_new] =
      shapes_.emplace(shape, static_cast<std::uint32_t>(trace_.shapes.size()));
  if (is_new) trace_.shapes.push_back(shape);
  return found->second;
}

std::uint32_t TraceBuilder::find(const std::vector<Key>& sorted, std::int64_t id) {
  if (id == 0) return kNone;
  const auto found = std::ranges::lower_bound(sorted, id, {}, &Key::id);
  return found != sorted.end() && found->id == id ? found->index : kNone;
}

Trace TraceBuilder::take() {
  std::ranges::stable_sort(ops_, {}, &Key::id);
  std::ranges::stable_sort(launches_, {}, &Key::id);
  for (std::size_t i = 0; i < trace_.activities.size(); ++i) {
    Activity& activity = trace_.activities[i];
    activity.launch = find(launches_, pending_[i].correlation);
    activity.op = find(ops_, pending_[i].external);
    if (activity.op == kNone && activity.launch != kNone) {
      activity.op = find(ops_, launch_external_[activity.launch]);
    }
  }
  std::ranges::stable_sort(trace_.activities, [](const Activity& a, const Activity& b) {
    return std::pair(a.device, a.start_ns) < std::pair(b.device, b.start_ns);
  });
  std::ranges::stable_sort(trace_.ranges, [](const HostRange& a, const HostRange& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  return std::move(trace_);
}

}  // namespace bench
