#pragma once

#include "harness/hosts.h"
#include "harness/units.h"

namespace bench {

// How far this process's monotonic clock is ahead of process 0's: within `uncertainty` of `offset`,
// for certain. Nobody returns from a meeting before the last has come to it, so each meeting bounds
// the offset from both sides, whatever the network did; of several the tightest bounds are kept.
struct ClockOffset {
  Seconds offset{0};
  Seconds uncertainty{0};
};
ClockOffset measure_clock_offset(Hosts& hosts);

}  // namespace bench
