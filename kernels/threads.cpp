#include "kernels/threads.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace bench {
namespace {

// Long enough to bridge the gap between two stages of a step, short enough not to take a shared
// core from others.
constexpr int kSpins = 1000;

thread_local int current_index = 0;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Cores of the cgroup's CPU quota (v2: "max 100000" or "150000 100000"); 0: no limit.
int quota_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::max(1, static_cast<int>(std::ceil(std::strtod(quota.c_str(), nullptr) / period)));
}

}  // namespace

int available_cores() {
  cpu_set_t allowed;
  int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                  ? CPU_COUNT(&allowed)
                  : static_cast<int>(std::thread::hardware_concurrency());
  if (const int quota = quota_cores(); quota != 0) cores = std::min(cores, quota);
  return std::max(cores, 1);
}

Threads::Threads(int count) {
  for (int i = 1; i < count; ++i) workers_.emplace_back([this, i] { work(i); });
}

Threads::~Threads() {
  stop_ = true;
  round_ += 2;
  round_.notify_all();
}

void Threads::run(const Loop& loop) {
  loop_ = loop;
  next_ = 0;
  if (workers_.empty() || loop.count == 1) {
    take_turns();
    return;
  }
  round_ += 1;
  round_.notify_all();
  take_turns();
  round_ += 1;
  // A worker that wakes only now finds the loop closed, so a late one costs nothing.
  for (int spins = 0; busy_ != 0; ++spins) {
    if (spins > kSpins) std::this_thread::yield();
    relax();
  }
}

void Threads::take_turns() {
  for (std::int64_t i = next_++; i < loop_.count; i = next_++) loop_.call(loop_.body, i);
}

int Threads::index() { return current_index; }

void Threads::work(int index) {
  current_index = index;
  std::uint32_t seen = 0;
  while (!stop_) {
    for (int spins = 0; spins < kSpins && round_ == seen; ++spins) relax();
    round_.wait(seen);
    // busy_ first, then the round: run() closes the round first and then looks at busy_.
    busy_ += 1;
    seen = round_;
    if (seen % 2 == 1) take_turns();
    busy_ -= 1;
  }
}

}  // namespace bench
