#include <array>

#include "kernels/cuda/clock_probe.h"

namespace bench::cuda {
namespace {

struct Reading {
  unsigned long long cycles;
  unsigned long long nanoseconds;
  unsigned long long sm;
};

// The timer advances in steps of up to a microsecond.
constexpr unsigned long long kShortestNanoseconds = 50'000;

__global__ void read_clocks(Reading* to) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  Reading reading{.cycles = 0, .nanoseconds = 0, .sm = sm};
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(reading.nanoseconds));
  reading.cycles = static_cast<unsigned long long>(clock64());
  *to = reading;
}

}  // namespace

ClockProbe::ClockProbe(CudaDevice& device)
    : device_(device), readings_(device.allocate(2 * sizeof(Reading))) {
  check(cudaMemsetAsync(readings_.as<void>(), 0, readings_.bytes(), device.stream()),
        "clear the clock readings");
}

void ClockProbe::read(int point) {
  read_clocks<<<1, 1, 0, device_.stream()>>>(readings_.as<Reading>() + point);
  check_launch("read_clocks");
}

std::optional<double> ClockProbe::hz() const {
  std::array<Reading, 2> read{};
  device_.download(std::as_writable_bytes(std::span(read)), readings_.as<void>());
  const auto& [first, last] = read;
  if (first.sm != last.sm || last.nanoseconds < first.nanoseconds + kShortestNanoseconds) {
    return std::nullopt;
  }
  return static_cast<double>(last.cycles - first.cycles) * 1e9 /
         static_cast<double>(last.nanoseconds - first.nanoseconds);
}

}  // namespace bench::cuda
