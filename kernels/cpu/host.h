#pragma once

#include <cstdint>

#include "kernels/device.h"

namespace bench {

// This machine as a device. Free memory counts the cgroup's limit; what could not be read is 0.
DeviceInfo describe_host();

std::int64_t available_memory();  // bytes; 0: unknown
std::int64_t last_level_cache();  // bytes; 0: unknown

}  // namespace bench
