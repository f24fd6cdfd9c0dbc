#pragma once

#include <cstdint>
#include <ctime>

#include "harness/units.h"

namespace bench {

// Turns the times at which the kernel received bytes, which are the wall clock's, into the
// monotonic clock's.
class ArrivalClock {
 public:
  // Reads how far the two clocks are apart; often, for the wall clock may be set.
  void compare_clocks();

  // Never after `ready` (the loop saw the bytes), nor before what is known to have been earlier:
  // then the wall clock was set meanwhile, and it is `ready`.
  [[nodiscard]] Seconds arrival(const timespec& stamp, Seconds earlier, Seconds ready) const;

 private:
  std::int64_t apart_ns_ = 0;
};

}  // namespace bench
