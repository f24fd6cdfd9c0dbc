#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

#include "harness/units.h"

namespace bench {

// The system's list of watched sockets.
class EventWait {
 public:
  EventWait();
  ~EventWait();
  EventWait(const EventWait&) = delete;
  EventWait& operator=(const EventWait&) = delete;

  // operation: EPOLL_CTL_ADD, _MOD or _DEL. The socket comes back in data.fd of each event.
  void watch(int operation, int socket, std::uint32_t events) const;
  // What has happened, at the latest at `until` (monotonic). The span lives until the next call.
  std::span<const epoll_event> wait(Seconds until);

 private:
  int epoll_ = -1;
  std::array<epoll_event, 1024> events_;
};

}  // namespace bench
