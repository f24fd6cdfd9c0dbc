#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

// Time of some cores since the machine started, in ticks of the clock.
struct CoreTimes {
  double busy = 0;  // with any process, interrupts, and the hypervisor's other guests (steal)
  double total = 0;
};
// Of the lines of /proc/stat (proc_stat(5)) that are about `cores`.
CoreTimes parse_core_times(const std::string& proc_stat, const std::vector<int>& cores);

// Who has the cores that this process may run on while it is looked at.
class CpuWatch {
 public:
  CpuWatch();
  // The share of their time since construction that other processes and the hypervisor had; none:
  // unknown, or too short a time to say.
  [[nodiscard]] std::optional<double> others() const;

 private:
  std::vector<int> cores_;
  CoreTimes start_;
  double own_s_;
};

}  // namespace bench
