#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace bench {

// Writes request bodies ahead of their use, in a thread of its own, so that no prompt is made
// while requests are timed. Bounded in number and, beyond the first few, in bytes.
class BodyQueue {
 public:
  // `write` makes the body of the request with that serial number: first, first + stride, ...
  BodyQueue(std::function<std::string(std::int64_t serial)> write, std::int64_t first,
            std::int64_t stride, std::size_t ahead);
  ~BodyQueue();
  BodyQueue(const BodyQueue&) = delete;
  BodyQueue& operator=(const BodyQueue&) = delete;

  void wait_until_full();
  std::string take();  // waits when it must, and counts that. Throws what `write` threw
  [[nodiscard]] std::int64_t waits() const { return waits_; }

 private:
  void produce();
  [[nodiscard]] bool full() const;

  std::function<std::string(std::int64_t)> write_;
  std::int64_t next_;
  std::int64_t stride_;
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> bodies_;
  std::size_t bytes_ = 0;
  std::exception_ptr thrown_;
  bool stopping_ = false;
  std::int64_t waits_ = 0;
  std::thread thread_;
};

}  // namespace bench
