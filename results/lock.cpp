#include "results/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

std::string local_time() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

// What the holder wrote about itself; it may be in the middle of doing so.
std::string holder(int descriptor) {
  std::string text(512, '\0');
  const ssize_t bytes = pread(descriptor, text.data(), text.size(), 0);
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text.empty() ? "another process" : text.substr(0, text.find('\n'));
}

}  // namespace

Lock::Lock(const std::string& path, const std::string& purpose) {
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_usage(format("{} cannot be opened ({})", path, std::strerror(errno)));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    const std::string who = holder(descriptor_);
    close(descriptor_);
    if (reason != EWOULDBLOCK)
      fail(format("{} cannot be locked ({})", path, std::strerror(reason)));
    throw Error(format("{} is held by {}; wait for it, or end it", path, who), Exit::locked);
  }
  const std::string text = format("process {} since {} ({})\n", getpid(), local_time(), purpose);
  // The words are for people only, so a full disk does not stop the lock.
  if (ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, text.data(), text.size(), 0) < 0)
    return;
}

// The file stays: removing it would let a third process lock a new one beside a waiting second.
Lock::~Lock() { close(descriptor_); }

}  // namespace bench
