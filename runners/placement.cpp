#include "runners/placement.h"

#include <algorithm>
#include <numeric>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/registry.h"
#include "harness/units.h"
#include "kernels/part.h"
#include "workloads/gpus.h"

namespace bench {
namespace {

std::vector<int> numbers(std::int64_t first, std::int64_t count) {
  std::vector<int> list(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  std::iota(list.begin(), list.end(), static_cast<int>(first));
  return list;
}

std::vector<int> choose(const GpuChoice& choice, const std::vector<int>& here, std::string& why) {
  const auto count = static_cast<std::int64_t>(here.size());
  if (choice.all()) return here;
  if (choice.count > count) why = format("gpus {}: {} here", choice.count, count);
  if (choice.count > 0) return {here.begin(), here.begin() + std::min(choice.count, count)};
  std::vector<int> chosen;
  for (const std::int64_t id : choice.ids) {
    if (std::ranges::count(here, id) == 0) {
      why = format("gpus {}: there is no GPU {} here", to_text(choice), id);
    }
    chosen.push_back(static_cast<int>(id));
  }
  return chosen;
}

std::string misfit(const Parameters& p, std::int64_t ranks) {
  if (p.parallel == Parallel::tensor && ranks > p.tensor_parallel) {
    return format("{} ranks cannot share out tensor_parallel {}", ranks, p.tensor_parallel);
  }
  if (p.parallel == Parallel::context && ranks > 1 && p.query_tokens > 1) {
    return "context parallel is for one query token a request";
  }
  return {};
}

}  // namespace

RankPlacement place_on(const DeviceFactory& factory, int devices, const Parameters& p,
                       const Hosts& hosts) {
  const GpuChoice choice = parse_gpus(p.gpus);
  RankPlacement placement{.factory = &factory, .ordinals = {}, .why_not = {}};
  if (factory.name == "cpu") {
    const auto listed = static_cast<std::int64_t>(choice.ids.size());
    placement.ordinals = numbers(0, std::max({std::int64_t{1}, choice.count, listed}));
  } else {
    const Share share = share_of(devices, hosts.local_index(), hosts.local_count());
    placement.ordinals = choose(choice, numbers(share.begin, share.count()), placement.why_not);
    if (choice.all() && p.parallel == Parallel::tensor) {
      const auto most =
          static_cast<std::size_t>(std::max<std::int64_t>(1, p.tensor_parallel / hosts.count()));
      placement.ordinals.resize(std::min(placement.ordinals.size(), most));
    }
  }
  if (placement.ordinals.empty()) placement.why_not = "more processes on this machine than GPUs";
  const auto ranks = static_cast<std::int64_t>(placement.ordinals.size()) * hosts.count();
  if (placement.why_not.empty()) placement.why_not = misfit(p, ranks);
  return placement;
}

std::string unlike(std::span<const DeviceInfo> devices) {
  const auto same = [](const DeviceInfo& a, const DeviceInfo& b) {
    return a.name == b.name && a.memory_bytes == b.memory_bytes && a.driver == b.driver;
  };
  for (const DeviceInfo& other : devices) {
    const DeviceInfo& first = devices.front();
    if (same(first, other)) continue;
    return format(
        "GPU {} ({}, {}) and GPU {} ({}, {}) are not alike, so the slowest would be measured for "
        "all: choose some that are, such as --set gpus=[{}]",
        first.ordinal, first.name, format_bytes(double(first.memory_bytes)), other.ordinal,
        other.name, format_bytes(double(other.memory_bytes)), first.ordinal);
  }
  return {};
}

std::string busy(std::span<const DeviceInfo> devices, std::span<const DeviceState> states) {
  constexpr double kOwn = 3.0 * (1 << 30);  // a context, and the buffers of the collectives
  constexpr double kShare = 0.05;
  std::vector<std::string> busy;
  std::vector<std::string> free;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo& info = devices[i];
    const auto used = static_cast<double>(info.memory_bytes - info.memory_free_bytes);
    const bool full = used > std::max(kOwn, kShare * static_cast<double>(info.memory_bytes));
    if (!full && states[i].other_processes.empty()) {
      free.push_back(format("{}", info.ordinal));
      continue;
    }
    std::string what = states[i].other_processes;
    if (full) what += format("{}{} in use", what.empty() ? "" : ", ", format_bytes(used));
    busy.push_back(format("GPU {} ({}) is in use: {}", info.ordinal, info.uuid, what));
  }
  if (busy.empty()) return {};
  const std::string others =
      free.empty() ? std::string()
                   : format("choose others (--set 'gpus=[{}]'), or ", join(free, ","));
  return format("{}; {}measure all the same with --set busy_gpus=allow", join(busy, "; "), others);
}

RankPlacement place(const Parameters& p, const Hosts& hosts) {
  const DeviceFactory* cuda = Registry<DeviceFactory>::find("cuda");
  const int gpus = cuda == nullptr ? 0 : cuda->count();
  if (gpus == 0 && p.device != DeviceChoice::cpu) {
    const std::string obstacle = cuda == nullptr ? std::string() : cuda->obstacle();
    if (!obstacle.empty()) fail(obstacle + " (--set device=cpu measures the CPU instead)");
    if (p.device == DeviceChoice::cuda) {
      fail(cuda == nullptr ? "device cuda: this build has no CUDA" : "device cuda: no GPU here");
    }
  }
  const bool on_gpu = gpus > 0 && p.device != DeviceChoice::cpu;
  return place_on(on_gpu ? *cuda : *Registry<DeviceFactory>::find("cpu"), gpus, p, hosts);
}

}  // namespace bench
