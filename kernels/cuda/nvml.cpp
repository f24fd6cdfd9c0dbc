#include "kernels/cuda/nvml.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "harness/format.h"
#include "harness/units.h"

namespace bench::cuda {
namespace {

// NVML's C interface (nvml.h of the CUDA toolkit), as far as it is used here.
using Gpu = void*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr int kTemperatureGpu = 0;
constexpr int kClockSm = 1;
constexpr unsigned kMostProcesses = 64;
constexpr unsigned kVersionBytes = 80;

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;  // bytes; all ones: not known
  unsigned gpu_instance, compute_instance;
};

constexpr std::array<std::pair<unsigned long long, const char*>, 7> kReasons{
    {{0x04, "sw_power_cap"},
     {0x08, "hw_slowdown"},
     {0x10, "sync_boost"},
     {0x20, "sw_thermal_slowdown"},
     {0x40, "hw_thermal_slowdown"},
     {0x80, "hw_power_brake_slowdown"},
     {0x02, "applications_clocks_setting"}}};

}  // namespace

// A counter or setting that is asked for by number.
struct FieldValue {
  unsigned field;
  unsigned scope;  // of a link's: its number
  long long timestamp, latency_us;
  int type;
  Result result;
  unsigned long long value;  // a union; an unsigned int fills its low half
};
constexpr unsigned kLinkSpeed = 164;  // NVML_FI_DEV_NVLINK_GET_SPEED, MB/s
constexpr unsigned kMostLinks = 36;

// By NVLink's version, and by PCIe's generation for one lane: GB/s in one direction.
constexpr std::array<double, 6> kNvLinkGbPerS{0, 20, 25, 25, 25, 50};
constexpr std::array<double, 7> kPcieGbPerS{0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};

struct Nvml::Library {
  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*by_uuid)(const char*, Gpu*) = nullptr;
  Result (*temperature)(Gpu, int, unsigned*) = nullptr;
  Result (*power_mw)(Gpu, unsigned*) = nullptr;
  Result (*energy_mj)(Gpu, unsigned long long*) = nullptr;
  Result (*clock_mhz)(Gpu, int, unsigned*) = nullptr;
  Result (*reasons)(Gpu, unsigned long long*) = nullptr;
  Result (*processes)(Gpu, unsigned*, ProcessInfo*) = nullptr;
  Result (*driver)(char*, unsigned) = nullptr;
  Result (*power_limit_mw)(Gpu, unsigned*) = nullptr;
  Result (*link_state)(Gpu, unsigned, int*) = nullptr;
  Result (*link_version)(Gpu, unsigned, unsigned*) = nullptr;
  Result (*fields)(Gpu, int, FieldValue*) = nullptr;
  Result (*pcie_generation)(Gpu, unsigned*) = nullptr;
  Result (*pcie_width)(Gpu, unsigned*) = nullptr;

  // False when the library, or one of the functions that it has always had, is missing.
  bool load() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    find(library, "nvmlInit_v2", init);
    find(library, "nvmlShutdown", shutdown);
    find(library, "nvmlDeviceGetHandleByUUID", by_uuid);
    find(library, "nvmlDeviceGetTemperature", temperature);
    find(library, "nvmlDeviceGetPowerUsage", power_mw);
    find(library, "nvmlDeviceGetTotalEnergyConsumption", energy_mj);
    find(library, "nvmlDeviceGetClockInfo", clock_mhz);
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons);
    find(library, "nvmlDeviceGetComputeRunningProcesses_v3", processes);
    find(library, "nvmlSystemGetDriverVersion", driver);
    find(library, "nvmlDeviceGetEnforcedPowerLimit", power_limit_mw);
    find(library, "nvmlDeviceGetNvLinkState", link_state);
    find(library, "nvmlDeviceGetNvLinkVersion", link_version);
    find(library, "nvmlDeviceGetFieldValues", fields);
    find(library, "nvmlDeviceGetMaxPcieLinkGeneration", pcie_generation);
    find(library, "nvmlDeviceGetMaxPcieLinkWidth", pcie_width);
    return init != nullptr && shutdown != nullptr && by_uuid != nullptr;
  }

 private:
  template <typename Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
  }
};

namespace {

// What a getter reports in `unit`s, where it exists and answers.
template <typename Word, typename Getter, typename... Arguments>
std::optional<double> read(double unit, Getter getter, Arguments... arguments) {
  Word word = 0;
  if (getter == nullptr || getter(arguments..., &word) != kSuccess) return std::nullopt;
  return static_cast<double>(word) * unit;
}

// This process holds a context, so one of those listed is itself, whatever number a container
// gives it.
std::string describe_others(const ProcessInfo* processes, unsigned count) {
  if (count < 2) return {};
  std::string text = format("{} other processes", count - 1);
  double bytes = 0;
  bool found_self = false;
  for (unsigned i = 0; i < count; ++i) {
    if (processes[i].pid == static_cast<unsigned>(getpid())) {
      found_self = true;
    } else if (processes[i].used_memory != ~0ULL) {
      bytes += static_cast<double>(processes[i].used_memory);
    }
  }
  if (found_self && bytes > 0) text += " holding " + format_bytes(bytes);
  return text;
}

}  // namespace

Nvml::Nvml(const std::string& uuid) {
  auto library = std::make_unique<Library>();
  if (!library->load() || library->init() != kSuccess) {
    why_not_ = "no telemetry: NVML (libnvidia-ml.so.1) is not there";
  } else if (library->by_uuid(uuid.c_str(), &gpu_) != kSuccess) {
    why_not_ = "no telemetry: NVML does not know " + uuid;
    library->shutdown();
  } else {
    library_ = std::move(library);
  }
}

Nvml::~Nvml() {
  if (library_) library_->shutdown();
}

std::string Nvml::driver() const {
  std::array<char, kVersionBytes> text{};
  if (!library_ || library_->driver == nullptr) return {};
  return library_->driver(text.data(), kVersionBytes) == kSuccess ? text.data() : "";
}

std::optional<double> Nvml::power_limit_w() const {
  if (!library_) return std::nullopt;
  return read<unsigned>(1e-3, library_->power_limit_mw, gpu_);
}

Link Nvml::link() const {
  if (!library_) return {};
  int links = 0;
  double bytes_per_s = 0;
  for (unsigned i = 0; i < kMostLinks && library_->link_state != nullptr; ++i) {
    int active = 0;
    if (library_->link_state(gpu_, i, &active) != kSuccess || active == 0) continue;
    ++links;
    FieldValue speed{.field = kLinkSpeed, .scope = i};
    unsigned version = 0;
    if (library_->fields != nullptr && library_->fields(gpu_, 1, &speed) == kSuccess &&
        speed.result == kSuccess && (speed.value & 0xffffffff) > 0) {
      bytes_per_s += static_cast<double>(speed.value & 0xffffffff) * 1e6;
    } else if (library_->link_version != nullptr &&
               library_->link_version(gpu_, i, &version) == kSuccess &&
               version < kNvLinkGbPerS.size()) {
      bytes_per_s += kNvLinkGbPerS[version] * 1e9;
    }
  }
  if (links > 0) {
    return {format("NVLink, {} x {:.1f} GB/s", links, bytes_per_s / links * 1e-9), bytes_per_s};
  }
  const auto generation = read<unsigned>(1, library_->pcie_generation, gpu_);
  const auto width = read<unsigned>(1, library_->pcie_width, gpu_);
  if (!generation || !width || *generation >= kPcieGbPerS.size()) return {};
  const auto lane = kPcieGbPerS[static_cast<std::size_t>(*generation)];
  return {format("PCIe {:.0f} x{:.0f}", *generation, *width), lane * *width * 1e9};
}

DeviceState Nvml::state() const {
  DeviceState state{.why_unknown = why_not_};
  if (!library_) return state;
  state.temperature_c = read<unsigned>(1, library_->temperature, gpu_, kTemperatureGpu);
  state.power_w = read<unsigned>(1e-3, library_->power_mw, gpu_);
  state.energy_j = read<unsigned long long>(1e-3, library_->energy_mj, gpu_);
  state.sm_clock_hz = read<unsigned>(1e6, library_->clock_mhz, gpu_, kClockSm);
  unsigned long long reasons = 0;
  if (library_->reasons != nullptr && library_->reasons(gpu_, &reasons) == kSuccess) {
    for (const auto& [bit, word] : kReasons) {
      if ((reasons & bit) != 0) state.throttle_reasons.emplace_back(word);
    }
  }
  std::array<ProcessInfo, kMostProcesses> processes{};
  unsigned count = kMostProcesses;
  if (library_->processes != nullptr &&
      library_->processes(gpu_, &count, processes.data()) == kSuccess) {
    state.other_processes = describe_others(processes.data(), count);
  }
  return state;
}

}  // namespace bench::cuda
