#pragma once

#include <chrono>

#include "harness/units.h"

namespace bench {

// The monotonic clock: the only one that any time of a request is read from.
inline Seconds monotonic_now() {
  return std::chrono::duration_cast<Seconds>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace bench
