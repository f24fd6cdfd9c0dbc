#include "harness/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bench {

void in_parallel(std::size_t count, std::size_t most,
                 const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr first_error;
  const auto take_turns = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(mutex);
      if (!first_error) first_error = std::current_exception();
    }
  };
  const std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min({cpus, most, count}); ++i) others.emplace_back(take_turns);
    take_turns();
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace bench
