#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/registry.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace bench {

// What a stage moves through memory in one layer, by the variant's own account (design.md 3).
struct StageTraffic {
  Stage stage;
  double bytes;  // read plus written
};

// One way to do the decode step on one kind of device. A variant is one new file ending in
//   const Register<KernelVariant> kRegistered{{.name = "native_fp8", .device = DeviceKind::cpu,
//   ...}};
struct KernelVariant {
  std::string name;  // "native_fp8", "full_pool_cast/elementwise"
  DeviceKind device = DeviceKind::cpu;
  std::string summary;                 // one line for `bench variants`
  PoolFormat pool = PoolFormat::e4m3;  // the pool it appends to and reads
  bool negative_control = false;       // ships to prove the check works: must end `incorrect`
  // Why it cannot do this shape on this device; empty: it can.
  std::function<std::string(const StepShape&, const DeviceInfo&)> unsupported;
  // Per layer, in the order of the stages. A step is `layers` times this.
  std::function<std::vector<StageTraffic>(const StepShape&)> traffic;
  // Memory beyond the pool it reads, in bytes (scratch, casts, shadows; all layers together).
  std::function<std::int64_t(const StepShape&)> scratch_bytes;
  std::function<Pipeline(Problem&, Device&)> build;

  [[nodiscard]] std::string key() const { return to_string(device) + ":" + name; }
};

}  // namespace bench
