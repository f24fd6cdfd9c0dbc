#pragma once

#include <string>

#include "harness/error.h"
#include "harness/units.h"
#include "workloads/workload.h"

namespace bench {

struct NightRequest {
  Plan plan;
  std::string config;    // the file, absolute
  std::string database;  // made if absent
  std::string night;     // the date
  double offset_s = 0;   // of the night's clock from this host's: a night that is played, not lived
  Seconds wait{0};       // for devices and database
  bool again = false;    // measure a night that is done
};

// One night: preflight, run (or go on with what was interrupted), gate, confirm, tell, site, prune.
// Whatever happens is remembered and told; the exit code is the gate's. What was told is not
// repeated while it lasts.
Exit run_night(const NightRequest& request);

// Where a box keeps what it does by itself: --db, BENCH_DB, else results/nightly-HOST.db, so that
// boxes that share a folder have a database each.
std::string nightly_database(const std::string& flag);

}  // namespace bench
