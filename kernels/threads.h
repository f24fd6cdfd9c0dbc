#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace bench {

// Cores this process may use: its affinity mask, or the cgroup's CPU quota where that is less.
int available_cores();

// A few persistent threads that share out loops (fork-join). One caller at a time.
class Threads {
 public:
  explicit Threads(int count = available_cores());
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // The caller's own thread included.
  [[nodiscard]] int count() const { return static_cast<int>(workers_.size()) + 1; }

  // Of the thread that asks, in [0, count()): 0 is the caller of for_each.
  [[nodiscard]] static int index();

  // Calls body(i) once for each i in [0, count), in no particular order, on all threads; returns
  // when all are done. `body` must not throw.
  template <typename Body>
  void for_each(std::int64_t count, const Body& body) {
    run({[](const void* b, std::int64_t i) { (*static_cast<const Body*>(b))(i); }, &body, count});
  }

  // Cuts [0, count) into ranges of equal length, a few dozen for each thread so that a slow core
  // does not hold up the rest, each but the last a multiple of `grain`; calls body(begin, end).
  template <typename Body>
  void for_ranges(std::int64_t count, std::int64_t grain, const Body& body) {
    const std::int64_t ranges = std::int64_t{this->count()} * kRangesPerThread;
    const std::int64_t grains = (count + grain - 1) / grain;
    const std::int64_t length = (grains + ranges - 1) / ranges * grain;
    if (length == 0) return;
    for_each((count + length - 1) / length, [&](std::int64_t i) {
      body(i * length, i * length + length < count ? i * length + length : count);
    });
  }

 private:
  struct Loop {
    void (*call)(const void* body, std::int64_t i);
    const void* body;
    std::int64_t count;
  };
  static constexpr std::int64_t kRangesPerThread = 32;

  void run(const Loop& loop);
  void take_turns();
  void work(int index);

  Loop loop_{};
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::uint32_t> round_{0};  // odd while a loop is open to workers
  std::atomic<int> busy_{0};             // workers that may be looking at loop_
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> workers_;
};

}  // namespace bench
