#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/device.h"

namespace bench::nvml {
class Library;
}

namespace bench::cuda {

// How a GPU reaches its neighbours.
struct Link {
  std::string name;        // "NVLink, 18 x 26.6 GB/s", "PCIe 5 x16"; empty: unknown
  double bytes_per_s = 0;  // in one direction, by the topology; 0: unknown
};

// A GPU's telemetry, by NVIDIA's management library, which comes with the driver and is loaded
// when first asked for. Without it every state says so and holds nothing else. Reads only.
class Nvml {
 public:
  // Of the GPU with this UUID ("GPU-...").
  explicit Nvml(const std::string& uuid);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] DeviceState state() const;
  [[nodiscard]] std::string driver() const;  // its version; empty: unknown
  [[nodiscard]] std::optional<double> power_limit_w() const;
  [[nodiscard]] Link link() const;  // NVLink where any is up, else PCIe

 private:
  std::unique_ptr<const nvml::Library> library_;  // nullptr: absent, or does not know the GPU
  std::string why_not_;
  void* gpu_ = nullptr;
};

}  // namespace bench::cuda
