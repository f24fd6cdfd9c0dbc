#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace bench::nvml {

// NVML's C interface (nvml.h of the CUDA toolkit), as far as it is used here.
using Gpu = void*;
using Result = int;
using Wide = unsigned long long;
constexpr Result kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kTemperatureGpu = 0;

struct ProcessInfo {
  unsigned pid;
  Wide used_memory;  // bytes; all ones: not known
  unsigned gpu_instance, compute_instance;
};

// Why a clock is lower than it could be.
struct Reason {
  Wide bit;
  const char* word;
  bool chosen;  // by who set the GPU up, not by its state
};
constexpr std::array<Reason, 7> kReasons{{{0x04, "sw_power_cap", false},
                                          {0x08, "hw_slowdown", false},
                                          {0x10, "sync_boost", true},
                                          {0x20, "sw_thermal_slowdown", false},
                                          {0x40, "hw_thermal_slowdown", false},
                                          {0x80, "hw_power_brake_slowdown", false},
                                          {0x02, "applications_clocks_setting", true}}};

// NVIDIA's management library (libnvidia-ml.so.1, which comes with the driver), loaded and started
// at run time: one binary runs with and without it.
class Library {
 public:
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] bool started() const { return started_; }

  // False when the library has no such function, or it does not answer.
  template <typename... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    auto* function = reinterpret_cast<Result (*)(Arguments...)>(find(name));
    return function != nullptr && function(arguments...) == kSuccess;
  }

  // What a getter reports in `unit`s, where it answers. Word: the type it writes.
  template <typename Word = unsigned, typename... Arguments>
  [[nodiscard]] std::optional<double> number(double unit, const char* name,
                                             Arguments... arguments) const {
    Word value = 0;
    if (!call(name, arguments..., &value)) return std::nullopt;
    return unit * static_cast<double>(value);
  }

  [[nodiscard]] std::string text(const char* name, Gpu gpu) const;
  [[nodiscard]] std::vector<ProcessInfo> processes(Gpu gpu) const;
  [[nodiscard]] std::vector<Reason> reasons(Gpu gpu) const;

 private:
  [[nodiscard]] void* find(const char* name) const;

  void* handle_;
  bool started_ = false;
};

}  // namespace bench::nvml
