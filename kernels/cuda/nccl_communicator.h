#pragma once

#include <memory>

#include "kernels/communicator.h"
#include "kernels/cuda/cuda_device.h"

namespace bench::cuda {

// Collectives of GPUs, on the device's stream, by NCCL. The meeting carries NCCL's id.
std::unique_ptr<Communicator> make_nccl_communicator(CudaDevice& device, Meeting& meeting,
                                                     int rank);

}  // namespace bench::cuda
