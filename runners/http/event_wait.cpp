#include "runners/http/event_wait.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/error.h"
#include "harness/format.h"
#include "runners/http/clock.h"

namespace bench {

EventWait::EventWait() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {  // NOLINT: filled by the kernel
  if (epoll_ < 0) fail(format("epoll: {}", std::strerror(errno)));
}

EventWait::~EventWait() { close(epoll_); }

void EventWait::watch(int operation, int socket, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = socket;
  epoll_ctl(epoll_, operation, socket, &event);
}

// Looks before it waits: under load there is nearly always something, and arming the kernel's
// timer would cost more than the look.
std::span<const epoll_event> EventWait::wait(Seconds until) {
  const auto most = static_cast<int>(events_.size());
  int ready = epoll_wait(epoll_, events_.data(), most, 0);
  if (ready == 0) {
    const double wait = std::clamp((until - monotonic_now()).count(), 0.0, 3600.0);
    const auto whole = static_cast<time_t>(wait);
    const timespec timeout{whole, static_cast<long>((wait - static_cast<double>(whole)) * 1e9)};
    ready = epoll_pwait2(epoll_, events_.data(), most, &timeout, nullptr);
  }
  if (ready < 0 && errno != EINTR) fail(format("epoll: {}", std::strerror(errno)));
  return std::span<const epoll_event>(events_).first(static_cast<std::size_t>(std::max(ready, 0)));
}

}  // namespace bench
