#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace bench {

// Hands encoded records on from a thread of its own, so that no event loop waits for a pipe or a
// disk: what ends while one batch is written makes the next.
class RecordWriter {
 public:
  using Write = std::function<void(std::string records)>;

  explicit RecordWriter(Write write);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  void add(const std::string& record);
  // Returns when all is written; throws what `write` threw.
  void finish();

 private:
  void run();

  Write write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  bool finishing_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;
};

}  // namespace bench
