#include "kernels/cuda/nvml.h"

#include <unistd.h>

#include <array>

#include "harness/format.h"
#include "harness/units.h"
#include "kernels/nvml_library.h"

namespace bench::cuda {
namespace {

// A counter or setting that is asked for by number.
struct FieldValue {
  unsigned field;
  unsigned scope;  // of a link's: its number
  long long timestamp, latency_us;
  int type;
  nvml::Result result;
  unsigned long long value;  // a union; an unsigned int fills its low half
};
constexpr unsigned kLinkSpeed = 164;  // NVML_FI_DEV_NVLINK_GET_SPEED, MB/s
constexpr unsigned kMostLinks = 36;
constexpr unsigned kVersionBytes = 80;

// By NVLink's version, and by PCIe's generation for one lane: GB/s in one direction.
constexpr std::array<double, 6> kNvLinkGbPerS{0, 20, 25, 25, 25, 50};
constexpr std::array<double, 7> kPcieGbPerS{0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};

// This process holds a context, so one of those listed is itself, whatever number a container
// gives it.
std::string describe_others(const std::vector<nvml::ProcessInfo>& processes) {
  if (processes.size() < 2) return {};
  std::string text = format("{} other processes", processes.size() - 1);
  double bytes = 0;
  bool found_self = false;
  for (const nvml::ProcessInfo& p : processes) {
    if (p.pid == static_cast<unsigned>(getpid())) {
      found_self = true;
    } else if (p.used_memory != ~nvml::Wide{0}) {
      bytes += static_cast<double>(p.used_memory);
    }
  }
  if (found_self && bytes > 0) text += " holding " + format_bytes(bytes);
  return text;
}

}  // namespace

Nvml::Nvml(const std::string& uuid) {
  auto library = std::make_unique<nvml::Library>();
  if (!library->started()) {
    why_not_ = "no telemetry: NVML (libnvidia-ml.so.1) is not there";
  } else if (!library->call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &gpu_)) {
    why_not_ = "no telemetry: NVML does not know " + uuid;
  } else {
    library_ = std::move(library);
  }
}

Nvml::~Nvml() = default;

std::string Nvml::driver() const {
  std::array<char, kVersionBytes> text{};
  if (!library_) return {};
  return library_->call("nvmlSystemGetDriverVersion", text.data(), kVersionBytes) ? text.data()
                                                                                  : "";
}

std::optional<double> Nvml::power_limit_w() const {
  if (!library_) return std::nullopt;
  return library_->number(1e-3, "nvmlDeviceGetEnforcedPowerLimit", gpu_);
}

Link Nvml::link() const {
  if (!library_) return {};
  int links = 0;
  double bytes_per_s = 0;
  for (unsigned i = 0; i < kMostLinks; ++i) {
    int active = 0;
    if (!library_->call("nvmlDeviceGetNvLinkState", gpu_, i, &active) || active == 0) continue;
    ++links;
    FieldValue speed{.field = kLinkSpeed, .scope = i};
    unsigned version = 0;
    if (library_->call("nvmlDeviceGetFieldValues", gpu_, 1, &speed) &&
        speed.result == nvml::kSuccess && (speed.value & 0xffffffff) > 0) {
      bytes_per_s += static_cast<double>(speed.value & 0xffffffff) * 1e6;
    } else if (library_->call("nvmlDeviceGetNvLinkVersion", gpu_, i, &version) &&
               version < kNvLinkGbPerS.size()) {
      bytes_per_s += kNvLinkGbPerS[version] * 1e9;
    }
  }
  if (links > 0) {
    return {format("NVLink, {} x {:.1f} GB/s", links, bytes_per_s / links * 1e-9), bytes_per_s};
  }
  const auto generation = library_->number(1, "nvmlDeviceGetMaxPcieLinkGeneration", gpu_);
  const auto width = library_->number(1, "nvmlDeviceGetMaxPcieLinkWidth", gpu_);
  if (!generation || !width || *generation >= kPcieGbPerS.size()) return {};
  const auto lane = kPcieGbPerS[static_cast<std::size_t>(*generation)];
  return {format("PCIe {:.0f} x{:.0f}", *generation, *width), lane * *width * 1e9};
}

DeviceState Nvml::state() const {
  DeviceState state{.why_unknown = why_not_};
  if (!library_) return state;
  const nvml::Library& library = *library_;
  state.temperature_c = library.number(1, "nvmlDeviceGetTemperature", gpu_, nvml::kTemperatureGpu);
  state.power_w = library.number(1e-3, "nvmlDeviceGetPowerUsage", gpu_);
  state.energy_j = library.number<nvml::Wide>(1e-3, "nvmlDeviceGetTotalEnergyConsumption", gpu_);
  state.sm_clock_hz = library.number(1e6, "nvmlDeviceGetClockInfo", gpu_, nvml::kClockSm);
  for (const nvml::Reason& reason : library.reasons(gpu_)) {
    state.throttle_reasons.emplace_back(reason.word);
  }
  state.other_processes = describe_others(library.processes(gpu_));
  return state;
}

}  // namespace bench::cuda
