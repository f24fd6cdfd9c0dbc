#include "results/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"
#include "results/secrets.h"

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

// A file that another user made in a sticky folder may be opened, but not with O_CREAT
// (fs.protected_regular), and perhaps only to read: that is enough for flock.
int open_lock_file(const char* path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) {
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) fchmod(file, 0666);
    if (file < 0 && errno == EEXIST) file = open(path, O_RDWR | O_CLOEXEC);
  }
  if (file < 0 && errno == EACCES) file = open(path, O_RDONLY | O_CLOEXEC);
  return file;
}

}  // namespace

Lock::Lock(const std::string& path, const std::string& purpose, OnExec on_exec) {
  descriptor_ = open_lock_file(path.c_str());
  if (descriptor_ < 0) fail_usage(format("{} cannot be opened ({})", path, std::strerror(errno)));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    const std::string who = holder(descriptor_);
    close(descriptor_);
    if (reason != EWOULDBLOCK)
      fail(format("{} cannot be locked ({})", path, std::strerror(reason)));
    throw Error(format("{} is held by {}; wait for it, or end it", path, who), Exit::locked);
  }
  if (on_exec == OnExec::inherit) fcntl(descriptor_, F_SETFD, 0);
  const std::string text =
      format("process {} since {} ({})\n", getpid(), local_time(), masked(purpose));
  // The words are for people only, so a full disk does not stop the lock.
  if (ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, text.data(), text.size(), 0) < 0)
    return;
}

Lock::Lock(Lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

// The file stays: removing it would let a third process lock a new one beside a waiting second.
Lock::~Lock() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string lock_holder(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  // A shared lock is refused while there is an exclusive one, and given up at once.
  const bool held = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  std::string who = held ? holder(file) : std::string();
  close(file);
  return who;
}

}  // namespace bench
