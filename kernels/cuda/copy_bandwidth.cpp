#include <algorithm>
#include <vector>

#include "harness/statistics.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/move.h"

namespace bench::cuda {
namespace {

constexpr std::int64_t kLargest = 2LL << 30;  // far more than any L2
constexpr std::int64_t kSmallest = 16LL << 20;
constexpr int kCopies = 15;

template <typename Copy>
Seconds median_time(CudaDevice& device, const Copy& copy) {
  std::vector<double> times;
  const Event start;
  const Event stop;
  for (int i = 0; i < kCopies + 2; ++i) {
    start.record(device.stream());
    copy();
    stop.record(device.stream());
    const Seconds time = stop.since(start);
    if (i >= 2) times.push_back(time.count());  // clocks rise during the first
  }
  return Seconds{median(times)};
}

}  // namespace

double measure_copy_bandwidth(CudaDevice& device) {
  const std::int64_t share = device.info().memory_free_bytes / 4 / kSmallest * kSmallest;
  const std::int64_t bytes = std::clamp(share, kSmallest, kLargest);
  const Buffer from = device.allocate(static_cast<std::size_t>(bytes));
  const Buffer to = device.allocate(static_cast<std::size_t>(bytes));
  device.fill_random(from.as<void>(), static_cast<std::size_t>(bytes), 0);
  const Seconds ours = median_time(
      device, [&] { copy(to.as<std::byte>(), from.as<std::byte>(), bytes, device.stream()); });
  const Seconds drivers = median_time(device, [&] {
    check(cudaMemcpyAsync(to.as<void>(), from.as<void>(), static_cast<std::size_t>(bytes),
                          cudaMemcpyDeviceToDevice, device.stream()),
          "copy on the device");
  });
  return 2 * static_cast<double>(bytes) / std::min(ours, drivers).count();
}

}  // namespace bench::cuda
