#include <algorithm>
#include <chrono>
#include <vector>

#include "harness/error.h"
#include "harness/statistics.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/host.h"
#include "kernels/cpu/move.h"

namespace bench {
namespace {

constexpr std::int64_t kLargest = 512LL << 20;
constexpr std::int64_t kSmallest = 16LL << 20;
constexpr int kRounds = 5;  // the best counts: a neighbour's burst is no ceiling of ours
constexpr int kCopies = 5;  // a round; the median counts

// Large enough that the pair cannot sit in the last-level cache, where memory allows.
std::int64_t buffer_bytes() {
  const std::int64_t share = available_memory() / 8 / kSmallest * kSmallest;
  return std::clamp(share, kSmallest, kLargest);
}

using Copy = void (*)(Threads&, std::byte*, const std::byte*, std::int64_t);

Seconds median_time(Copy copy, Threads& threads, const Buffer& to, const Buffer& from) {
  std::vector<double> times;
  for (int i = 0; i < kCopies; ++i) {
    const auto start = std::chrono::steady_clock::now();
    copy(threads, to.as<std::byte>(), from.as<std::byte>(), static_cast<std::int64_t>(to.bytes()));
    const Seconds time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  return Seconds{median(times)};
}

}  // namespace

double measure_copy_bandwidth(CpuDevice& device) {
  const auto bytes = static_cast<std::size_t>(buffer_bytes());
  const Buffer from = device.allocate(bytes);
  const Buffer to = device.allocate(bytes);
  device.fill_random(from.as<void>(), bytes, 0);
  device.fill_random(to.as<void>(), bytes, 0);  // maps the pages
  Seconds best = Seconds::max();
  for (int round = 0; round < kRounds; ++round) {
    best = std::min({best, median_time(copy_streaming, device.threads(), to, from),
                     median_time(copy_cached, device.threads(), to, from)});
  }
  return 2 * static_cast<double>(bytes) / best.count();
}

}  // namespace bench
