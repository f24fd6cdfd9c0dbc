#pragma once

#include <memory>

#include "kernels/cuda/cuda_device.h"

namespace bench::cuda {

// A step as one graph (Launch::graph), or as a launch for each kernel (Launch::eager).
std::unique_ptr<Executable> make_executable(CudaDevice& device, Pipeline pipeline,
                                            const StepShape& shape);

}  // namespace bench::cuda
