#include "kernels/gpus.h"

#include <fstream>

#include "harness/format.h"
#include "kernels/nvml_library.h"

namespace bench {
namespace {

using nvml::Gpu;
using nvml::Library;

struct Memory {
  nvml::Wide total, free, used;
};
struct Utilisation {
  unsigned gpu, memory;
};

std::string process_name(unsigned pid) {
  std::ifstream file(format("/proc/{}/comm", pid));
  std::string name;
  std::getline(file, name);
  return name;
}

std::vector<GpuProcess> processes_of(const Library& library, Gpu gpu) {
  std::vector<GpuProcess> processes;
  for (const nvml::ProcessInfo& p : library.processes(gpu)) {
    const double bytes = p.used_memory == ~nvml::Wide{0} ? 0 : static_cast<double>(p.used_memory);
    processes.push_back({p.pid, bytes, process_name(p.pid)});
  }
  return processes;
}

std::optional<int> whole(std::optional<double> number) {
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

GpuStatus status_of(const Library& library, Gpu gpu, int index) {
  GpuStatus status{.index = index,
                   .uuid = library.text("nvmlDeviceGetUUID", gpu),
                   .name = library.text("nvmlDeviceGetName", gpu)};
  Memory memory{};
  if (library.call("nvmlDeviceGetMemoryInfo", gpu, &memory)) {
    status.memory_bytes = static_cast<double>(memory.total);
    status.used_bytes = static_cast<double>(memory.used);
  }
  Utilisation use{};
  if (library.call("nvmlDeviceGetUtilizationRates", gpu, &use))
    status.utilisation = use.gpu / 100.0;
  status.sm_clock_hz = library.number(1e6, "nvmlDeviceGetClockInfo", gpu, nvml::kClockSm);
  status.most_sm_clock_hz = library.number(1e6, "nvmlDeviceGetMaxClockInfo", gpu, nvml::kClockSm);
  status.temperature_c = library.number(1, "nvmlDeviceGetTemperature", gpu, nvml::kTemperatureGpu);
  status.pcie_width = whole(library.number(1, "nvmlDeviceGetCurrPcieLinkWidth", gpu));
  status.most_pcie_width = whole(library.number(1, "nvmlDeviceGetMaxPcieLinkWidth", gpu));
  if (const auto mode = library.number(1, "nvmlDeviceGetPersistenceMode", gpu)) {
    status.persistent = *mode != 0;
  }
  for (const nvml::Reason& reason : library.reasons(gpu)) {
    if (!reason.chosen) status.slowdowns.emplace_back(reason.word);
  }
  status.processes = processes_of(library, gpu);
  return status;
}

}  // namespace

std::vector<GpuStatus> list_gpus(std::string& why_none) {
  why_none.clear();
  const Library library;
  if (!library.started()) {
    why_none = "NVML (libnvidia-ml.so.1) is not there or does not start";
    return {};
  }
  unsigned count = 0;
  if (!library.call("nvmlDeviceGetCount_v2", &count)) why_none = "NVML does not count the GPUs";
  std::vector<GpuStatus> gpus;
  for (unsigned i = 0; i < count; ++i) {
    Gpu gpu = nullptr;
    if (!library.call("nvmlDeviceGetHandleByIndex_v2", i, &gpu)) continue;
    gpus.push_back(status_of(library, gpu, static_cast<int>(i)));
  }
  if (gpus.empty() && why_none.empty()) why_none = "NVML lists no GPU";
  return gpus;
}

}  // namespace bench
