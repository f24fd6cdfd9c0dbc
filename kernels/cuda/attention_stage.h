#pragma once

#include <functional>
#include <string>

#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/kv_rows.h"
#include "kernels/problem.h"

// The one place where variants meet the attention kernels.
namespace bench::cuda {

// Why a shape cannot be done on a device; empty: it can.
std::string attention_unsupported(const StepShape& shape, const DeviceInfo& device);

// Adds attention over each layer's rows, and combine where it is split.
void add_attention(Pipeline& pipeline, Problem& problem, CudaDevice& device,
                   std::function<KvRows(int layer)> rows);

}  // namespace bench::cuda
