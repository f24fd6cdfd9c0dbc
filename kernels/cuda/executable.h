#pragma once

#include <memory>

#include "kernels/communicator.h"
#include "kernels/cuda/cuda_device.h"

namespace bench::cuda {

// A step as one graph (Launch::graph), or as a launch for each kernel (Launch::eager).
// With `ranks`, a collective that lets all ranks begin together comes first: in the same graph,
// with the events that take the time behind it, so that no launch is between.
std::unique_ptr<Executable> make_executable(CudaDevice& device, Pipeline pipeline,
                                            const StepShape& shape, Communicator* ranks);

}  // namespace bench::cuda
