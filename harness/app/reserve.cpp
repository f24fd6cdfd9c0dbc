#include "harness/app/reserve.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace bench {

// Without the space a night runs all the same; it may then be mute.
Reserve::Reserve(std::string path) : path_(std::move(path)) {
  constexpr off_t kBytes = 1 << 20;
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  [[maybe_unused]] const int reserved = posix_fallocate(file, 0, kBytes);
  close(file);
}

void Reserve::release() const { unlink(path_.c_str()); }

}  // namespace bench
