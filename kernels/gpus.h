#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

// A process that has something on a GPU. In a container the driver may give another number, no
// name, or not list it at all: then only the memory in use shows it.
struct GpuProcess {
  std::int64_t pid = 0;
  double bytes = 0;  // 0: not known
  std::string name;  // of /proc; empty: not known
};

// What the driver says of a GPU now. Absent fields could not be read.
struct GpuStatus {
  int index = 0;
  std::string uuid;
  std::string name;
  double memory_bytes = 0;
  double used_bytes = 0;
  std::optional<double> utilisation;  // fraction of the last second or less
  std::optional<double> sm_clock_hz;
  std::optional<double> most_sm_clock_hz;
  std::optional<double> temperature_c;
  std::optional<bool> persistent;  // the driver stays loaded, and with it what was set
  std::optional<int> pcie_width;
  std::optional<int> most_pcie_width;
  std::vector<std::string> slowdowns;  // what holds the clock down now: "hw_thermal_slowdown", ...
  std::vector<GpuProcess> processes;
};

// Every GPU of this host, by NVIDIA's management library (libnvidia-ml.so.1, which comes with the
// driver; nothing is opened on a GPU). Empty without it: `why_none` then says why.
std::vector<GpuStatus> list_gpus(std::string& why_none);

}  // namespace bench
