#include "runners/http/arrival_clock.h"

#include <algorithm>

namespace bench {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return nanoseconds(time);
}

}  // namespace

void ArrivalClock::compare_clocks() {
  constexpr std::int64_t kCloseNs = 1'000;  // else this thread was stopped between the two
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t before = now(CLOCK_MONOTONIC);
    const std::int64_t wall = now(CLOCK_REALTIME);
    const std::int64_t after = now(CLOCK_MONOTONIC);
    if (after - before > kCloseNs && apart_ns_ != 0) continue;
    apart_ns_ = wall - (before + (after - before) / 2);
    return;
  }
}

Seconds ArrivalClock::arrival(const timespec& stamp, Seconds earlier, Seconds ready) const {
  constexpr Seconds kJitter{100e-6};  // of the comparison
  const Seconds time(static_cast<double>(nanoseconds(stamp) - apart_ns_) * 1e-9);
  if (time < earlier - kJitter || time > ready) return ready;
  return std::max(time, earlier);
}

}  // namespace bench
