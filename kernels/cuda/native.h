#pragma once

#include <string>

#include "kernels/variant.h"

namespace bench::cuda {

// The right fix, whatever the pool's format: attention reads the rows as they lie in the pool.
KernelVariant native(std::string name, PoolFormat format, std::string summary);

}  // namespace bench::cuda
