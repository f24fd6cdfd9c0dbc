#include <algorithm>
#include <map>

#include "results/trace/steps.h"

namespace bench {
namespace {

struct Replay {
  std::int64_t begin_ns = 0;
  std::int64_t time_ns = 0;
  std::int64_t kernels = 0;
};

// By launch.
std::map<std::uint32_t, Replay> replays_of(const Trace& trace,
                                           std::span<const Activity> activities) {
  std::map<std::uint32_t, Replay> replays;
  for (const Activity& activity : activities) {
    if (activity.launch == kNone) continue;
    const std::string& call = trace.names[trace.launches[activity.launch].name];
    if (call.find("GraphLaunch") == std::string::npos) continue;
    Replay& replay = replays[activity.launch];
    if (replay.kernels++ == 0) replay.begin_ns = activity.start_ns;
    replay.time_ns += activity.duration_ns;
  }
  return replays;
}

// The number of kernels of the graphs that take most of the time; 0: no size takes half of it.
std::int64_t main_size(const std::map<std::uint32_t, Replay>& replays, std::int64_t total_ns) {
  std::map<std::int64_t, std::int64_t> time_of_size;
  for (const auto& [launch, replay] : replays) time_of_size[replay.kernels] += replay.time_ns;
  const auto main =
      std::ranges::max_element(time_of_size, {}, [](const auto& e) { return e.second; });
  return main != time_of_size.end() && main->second * 2 >= total_ns ? main->first : 0;
}

}  // namespace

std::optional<StepSplit> split_by_graphs(const Trace& trace, std::span<const Activity> activities) {
  std::int64_t total_ns = 0;
  for (const Activity& a : activities) total_ns += a.launch == kNone ? 0 : a.duration_ns;
  const auto replays = replays_of(trace, activities);
  const std::int64_t size = main_size(replays, total_ns);
  std::vector<std::int64_t> begins;
  for (const auto& [launch, replay] : replays) {
    if (size > 0 && replay.kernels == size) begins.push_back(replay.begin_ns);
  }
  if (begins.size() < 2) return std::nullopt;
  std::ranges::sort(begins);
  StepSplit split{.method = "CUDA graph launches", .names = {}, .of = {}};
  split.names.resize(begins.size());
  for (const Activity& activity : activities) {
    const auto after = std::ranges::upper_bound(begins, activity.start_ns);
    const auto step = static_cast<std::uint32_t>(after - begins.begin());
    split.of.push_back(step == 0 ? kNone : step - 1);
  }
  return split;
}

}  // namespace bench
