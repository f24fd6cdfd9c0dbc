#pragma once

#include <string>

#include "kernels/cuda/move.h"
#include "kernels/variant.h"

namespace bench::cuda {

using Cast = void (*)(std::uint16_t* to, const std::uint8_t* from, std::int64_t count,
                      cudaStream_t stream);

// The incident: every layer casts the whole pool to BF16, whatever the context, and then attends
// over the active rows of the cast.
KernelVariant full_pool_cast(std::string name, Cast cast, std::string summary);

}  // namespace bench::cuda
