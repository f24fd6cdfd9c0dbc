#pragma once

#include <string>

#include "harness/error.h"
#include "workloads/workload.h"

namespace bench {

// A nightly run as systemd has it: a service and a timer for each configuration.
struct Schedule {
  const Plan* plan;
  std::string config;    // absolute
  std::string database;  // absolute
  std::string at;        // 02:30
  bool user = false;     // the user's own systemd
  std::string folder;    // of the units, for tests; empty: systemd's, which is told
};

Exit install(const Schedule& schedule);
Exit uninstall(const Schedule& schedule);

// What systemd runs when the night failed and could not say so itself: tells every receiver.
Exit tell_failure(const Schedule& schedule, double now_unix_s);

// The last night and the next, what is missing and what is open. unjudged when a night is missing
// or an alert is still to be sent.
Exit show_status(const Schedule& schedule, double now_unix_s);

}  // namespace bench
