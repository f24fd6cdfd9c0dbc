#include "kernels/gpus.h"

#include <dlfcn.h>

#include <array>
#include <fstream>
#include <utility>

#include "harness/format.h"

namespace bench {
namespace {

// NVML's C interface (nvml.h of the CUDA toolkit), as far as it is used here.
using Gpu = void*;
using Result = int;
using Wide = unsigned long long;
constexpr Result kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kTemperatureGpu = 0;
constexpr unsigned kTextBytes = 96;
constexpr unsigned kMostProcesses = 64;

struct Memory {
  Wide total, free, used;
};
struct Utilisation {
  unsigned gpu, memory;
};
struct ProcessInfo {
  unsigned pid;
  Wide used_memory;  // bytes; all ones: not known
  unsigned gpu_instance, compute_instance;
};

constexpr std::array<std::pair<Wide, const char*>, 5> kSlowdowns{
    {{0x04, "sw_power_cap"},
     {0x08, "hw_slowdown"},
     {0x20, "sw_thermal_slowdown"},
     {0x40, "hw_thermal_slowdown"},
     {0x80, "hw_power_brake_slowdown"}}};

class Library {
 public:
  Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (started_) call("nvmlShutdown");
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool start() { return started_ = handle_ != nullptr && call("nvmlInit_v2"); }

  // False when the library has no such function, or it does not answer.
  template <typename... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    auto* function = reinterpret_cast<Result (*)(Arguments...)>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == kSuccess;
  }

  [[nodiscard]] std::string text(const char* name, Gpu gpu) const {
    std::array<char, kTextBytes> buffer{};
    return call(name, gpu, buffer.data(), kTextBytes) ? buffer.data() : "";
  }

  template <typename... Arguments>
  [[nodiscard]] std::optional<double> number(double unit, const char* name,
                                             Arguments... arguments) const {
    unsigned value = 0;
    if (!call(name, arguments..., &value)) return std::nullopt;
    return unit * value;
  }

 private:
  void* handle_;
  bool started_ = false;
};

std::string process_name(unsigned pid) {
  std::ifstream file(format("/proc/{}/comm", pid));
  std::string name;
  std::getline(file, name);
  return name;
}

std::vector<GpuProcess> processes_of(const Library& nvml, Gpu gpu) {
  std::array<ProcessInfo, kMostProcesses> found{};
  unsigned count = kMostProcesses;
  if (!nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &count, found.data())) return {};
  std::vector<GpuProcess> processes;
  for (unsigned i = 0; i < count; ++i) {
    const ProcessInfo& p = found.at(i);
    const double bytes = p.used_memory == ~Wide{0} ? 0 : static_cast<double>(p.used_memory);
    processes.push_back({p.pid, bytes, process_name(p.pid)});
  }
  return processes;
}

std::optional<int> whole(std::optional<double> number) {
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

GpuStatus status_of(const Library& nvml, Gpu gpu, int index) {
  GpuStatus status{.index = index,
                   .uuid = nvml.text("nvmlDeviceGetUUID", gpu),
                   .name = nvml.text("nvmlDeviceGetName", gpu)};
  Memory memory{};
  if (nvml.call("nvmlDeviceGetMemoryInfo", gpu, &memory)) {
    status.memory_bytes = static_cast<double>(memory.total);
    status.used_bytes = static_cast<double>(memory.used);
  }
  Utilisation use{};
  if (nvml.call("nvmlDeviceGetUtilizationRates", gpu, &use)) status.utilisation = use.gpu / 100.0;
  status.sm_clock_hz = nvml.number(1e6, "nvmlDeviceGetClockInfo", gpu, kClockSm);
  status.most_sm_clock_hz = nvml.number(1e6, "nvmlDeviceGetMaxClockInfo", gpu, kClockSm);
  status.temperature_c = nvml.number(1, "nvmlDeviceGetTemperature", gpu, kTemperatureGpu);
  status.pcie_width = whole(nvml.number(1, "nvmlDeviceGetCurrPcieLinkWidth", gpu));
  status.most_pcie_width = whole(nvml.number(1, "nvmlDeviceGetMaxPcieLinkWidth", gpu));
  if (const auto mode = nvml.number(1, "nvmlDeviceGetPersistenceMode", gpu)) {
    status.persistent = *mode != 0;
  }
  Wide reasons = 0;
  if (nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", gpu, &reasons)) {
    for (const auto& [bit, word] : kSlowdowns) {
      if ((reasons & bit) != 0) status.slowdowns.emplace_back(word);
    }
  }
  status.processes = processes_of(nvml, gpu);
  return status;
}

}  // namespace

std::vector<GpuStatus> list_gpus(std::string& why_none) {
  why_none.clear();
  Library nvml;
  if (!nvml.start()) {
    why_none = "NVML (libnvidia-ml.so.1) is not there or does not start";
    return {};
  }
  unsigned count = 0;
  if (!nvml.call("nvmlDeviceGetCount_v2", &count)) why_none = "NVML does not count the GPUs";
  std::vector<GpuStatus> gpus;
  for (unsigned i = 0; i < count; ++i) {
    Gpu gpu = nullptr;
    if (!nvml.call("nvmlDeviceGetHandleByIndex_v2", i, &gpu)) continue;
    gpus.push_back(status_of(nvml, gpu, static_cast<int>(i)));
  }
  if (gpus.empty() && why_none.empty()) why_none = "NVML lists no GPU";
  return gpus;
}

}  // namespace bench
