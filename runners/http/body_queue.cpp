#include "runners/http/body_queue.h"

#include <exception>
#include <utility>

namespace bench {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

}  // namespace

BodyQueue::BodyQueue(std::function<std::string(std::int64_t)> write, std::int64_t first,
                     std::int64_t stride, std::size_t ahead)
    : write_(std::move(write)), next_(first), stride_(stride), ahead_(ahead) {
  thread_ = std::thread([this] { produce(); });
}

BodyQueue::~BodyQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool BodyQueue::full() const {
  return bodies_.size() >= ahead_ || (bodies_.size() >= 2 && bytes_ > kMostBytes);
}

void BodyQueue::produce() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (full()) {
      changed_.wait(lock);
      continue;
    }
    const std::int64_t serial = std::exchange(next_, next_ + stride_);
    lock.unlock();
    std::string body;
    std::exception_ptr thrown;
    try {
      body = write_(serial);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    bytes_ += body.size();
    bodies_.push_back(std::move(body));
    thrown_ = thrown;
    changed_.notify_all();
    if (thrown) return;
  }
}

void BodyQueue::wait_until_full() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return full() || thrown_; });
}

std::string BodyQueue::take() {
  std::unique_lock lock(mutex_);
  if (bodies_.empty() && !thrown_) ++waits_;
  changed_.wait(lock, [this] { return !bodies_.empty() || thrown_; });
  if (thrown_) std::rethrow_exception(thrown_);
  std::string body = std::move(bodies_.front());
  bodies_.pop_front();
  bytes_ -= body.size();
  lock.unlock();
  changed_.notify_all();
  return body;
}

}  // namespace bench
