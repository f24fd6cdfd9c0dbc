#include "runners/http/record_writer.h"

#include <utility>

namespace bench {

RecordWriter::RecordWriter(Write write) : write_(std::move(write)), thread_([this] { run(); }) {}

RecordWriter::~RecordWriter() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void RecordWriter::add(const std::string& record) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ += record;
  }
  changed_.notify_one();
}

void RecordWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  changed_.notify_one();
  thread_.join();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void RecordWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return finishing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::string batch = std::exchange(waiting_, {});
    lock.unlock();
    try {
      write_(std::move(batch));
    } catch (...) {
      thrown_ = std::current_exception();
      return;
    }
    lock.lock();
  }
}

}  // namespace bench
