#pragma once

#include <cstdint>
#include <vector>

#include "harness/units.h"
#include "runners/http/request_record.h"
#include "workloads/parameters.h"

namespace bench {

// How much load, when, and for how long. Open loop where rate_per_s > 0: requests are due on an
// absolute schedule, whatever the server does; `concurrency` above 1 then caps those in flight.
// Closed loop else: `concurrency` users, each of whom sends again when answered.
struct LoadPlan {
  std::int64_t concurrency = 1;
  double rate_per_s = 0;
  Arrival arrival = Arrival::poisson;
  std::int64_t requests = 0;  // measured; 0: as many as `duration` allows
  Seconds duration{0};        // of the measured load; 0: until `requests` are done
  Seconds warm_up{0};         // of load before
  Seconds ramp{0};            // over which the users join
  Seconds request_timeout{600};
  Seconds stall_timeout{60};  // without a message of data, after the first
  std::uint64_t seed = 0;

  [[nodiscard]] bool open_loop() const { return rate_per_s > 0; }
  // Without a warm-up all is measured, the users who join included.
  [[nodiscard]] Seconds warm_up_end() const {
    if (open_loop() || warm_up <= Seconds{0}) return warm_up;
    return ramp + warm_up;
  }
};

// One due time of the open loop, since the start of the pass.
struct DueRequest {
  Seconds due;
  Phase phase;
};

// The whole schedule. Of n measured requests the last is due exactly n / rate after the warm-up,
// so that the asked rate is the asked rate and not a random one near it.
std::vector<DueRequest> schedule(const LoadPlan& plan);

}  // namespace bench
