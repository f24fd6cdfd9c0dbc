#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/hosts.h"
#include "kernels/device.h"
#include "workloads/parameters.h"

namespace bench {

// The devices of this process that a case runs on.
struct RankPlacement {
  const DeviceFactory* factory = nullptr;
  std::vector<int> ordinals;  // one a rank
  std::string why_not;        // it cannot be placed here; empty: it can

  bool operator==(const RankPlacement& other) const {
    return factory == other.factory && ordinals == other.ordinals;
  }
};

// By `device`, `gpus` and `parallel`. Processes on one machine share its GPUs out; on a CPU every
// rank is a thread with its share of the cores, and `all` is one. Tensor ranks are at most
// tensor_parallel. Throws Error when there is no device of the kind asked for.
RankPlacement place(const Parameters& parameters, const Hosts& hosts);
// The same for a number of devices of that kind on this machine.
RankPlacement place_on(const DeviceFactory& factory, int devices, const Parameters& parameters,
                       const Hosts& hosts);

// Why devices of a step are not fit for it together: they are of different
// models, or others use one of them. Empty: they are fit.
std::string unlike(std::span<const DeviceInfo> devices);
std::string busy(std::span<const DeviceInfo> devices, std::span<const DeviceState> states);

}  // namespace bench
