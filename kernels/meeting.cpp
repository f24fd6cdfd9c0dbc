#include "kernels/meeting.h"

#include <utility>

#include "harness/format.h"

namespace bench {
namespace {

// Texts of any bytes as one: each with its length before it.
std::string packed(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += format("{}:", part.size()) + part;
  return text;
}

void unpack(const std::string& text, std::vector<std::string>& parts) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t colon = text.find(':', at);
    const std::size_t length = std::stoull(text.substr(at, colon - at));
    parts.push_back(text.substr(colon + 1, length));
    at = colon + 1 + length;
  }
}

}  // namespace

Meeting::Meeting(Hosts& hosts, int local) : hosts_(hosts), parts_(static_cast<std::size_t>(local)) {
  const std::vector<std::string> counts = hosts.exchange(format("{}", local));
  for (std::size_t host = 0; host < counts.size(); ++host) {
    if (static_cast<int>(host) == hosts.index()) first_ = size_;
    size_ += std::stoi(counts[host]);
  }
}

std::vector<std::string> Meeting::exchange(int rank, std::string mine) {
  std::unique_lock lock(mutex_);
  if (aborted_) throw Aborted();
  parts_[static_cast<std::size_t>(rank - first_)] = std::move(mine);
  const long round = round_;
  if (++arrived_ == local()) {
    meet_hosts(lock);
    return result_;
  }
  changed_.wait(lock, [&] { return aborted_ || round_ != round; });
  if (round_ == round) throw Aborted();
  return result_;
}

void Meeting::meet_hosts(std::unique_lock<std::mutex>& lock) {
  arrived_ = 0;
  std::vector<std::string> all;
  if (hosts_.count() == 1) {
    all = parts_;
  } else {
    std::string mine = packed(parts_);
    waits_for_hosts_ = true;
    lock.unlock();  // so that abort() can be heard meanwhile
    const std::vector<std::string> texts = hosts_.exchange(std::move(mine));
    for (const std::string& text : texts) unpack(text, all);
    lock.lock();
    waits_for_hosts_ = false;
  }
  result_ = std::move(all);
  ++round_;
  changed_.notify_all();
}

void Meeting::abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  changed_.notify_all();
}

bool Meeting::waits_for_hosts() {
  const std::lock_guard lock(mutex_);
  return waits_for_hosts_;
}

}  // namespace bench
