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

// Whether the rows of all but the new tokens were in memory before the step began, so that
// attention may fetch them while the kernel before it still runs.
enum class RowsAre { old, written_in_the_step };

// Adds attention over each layer's rows. rows(0) is asked at once for its format. `limits`: of the
// device that the kernel is chosen for, where it is not the one it runs on.
void add_attention(Pipeline& pipeline, Problem& problem, CudaDevice& device,
                   std::function<KvRows(int layer)> rows,
                   RowsAre age = RowsAre::written_in_the_step, const DeviceInfo* limits = nullptr);

}  // namespace bench::cuda
