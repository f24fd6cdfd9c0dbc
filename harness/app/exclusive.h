#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/error.h"
#include "harness/hosts.h"
#include "harness/units.h"
#include "results/lock.h"
#include "workloads/workload.h"

namespace bench {

// One measurement at a time on a device: a lock file for each GPU, named by its UUID, and one for
// the CPU of a host, named by its boot, so that containers of one host share it and hosts that
// share a folder do not. They are in BENCH_LOCKS, else /run/lock, else /tmp.
std::string lock_path(const std::string& device);

// What the plan's runners need for themselves, sorted; asked of a worker each. Of several processes
// on a machine, its CPU is the first one's.
std::vector<std::string> devices_of(const Plan& plan, const std::vector<std::string>& worker,
                                    const Hosts* hosts = nullptr);

// Holds the locks of devices, all or none, as do the workers and servers that are started
// meanwhile: a GPU is free when the last of them is gone. Error with Exit::locked says who has one.
class DeviceLocks {
 public:
  DeviceLocks(std::vector<std::string> devices, const std::string& purpose);

 private:
  std::vector<Lock> locks_;
};

// Says on standard error what is waited for, and looks again until `until`; false: it is too late.
class Patience {
 public:
  explicit Patience(Seconds wait);
  bool again(const Error& error);

 private:
  double until_;  // by the monotonic clock
  bool said_ = false;
};

// Calls `take` until it no longer throws that something is locked, for `wait` at most.
template <typename Take>
auto when_free(Seconds wait, const Take& take) {
  Patience patience(wait);
  while (true) {
    try {
      return take();
    } catch (const Error& error) {
      if (error.exit() != Exit::locked || !patience.again(error)) throw;
    }
  }
}

}  // namespace bench
