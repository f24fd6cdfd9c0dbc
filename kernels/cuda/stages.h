#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/kv_rows.h"
#include "kernels/cuda/move.h"
#include "kernels/problem.h"

// The stages that the CUDA variants share.
namespace bench::cuda {

// The reason for a no of all CUDA variants; empty: yes.
std::string unsupported(const StepShape& shape, const DeviceInfo& device);

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// [layers] pools of a format, their active rows written.
std::vector<std::byte*> all_pools(Problem& problem, PoolFormat format);

// Host values in device memory.
template <typename T>
Buffer upload(CudaDevice& device, const std::vector<T>& host) {
  Buffer buffer = device.allocate(host.size() * sizeof(T));
  device.upload(buffer.as<void>(), std::as_bytes(std::span(host)));
  return buffer;
}

// A list of slots in device memory.
class SlotList {
 public:
  static SlotList active(const Problem& problem, CudaDevice& device);  // request after request
  static SlotList fresh(const Problem& problem, CudaDevice& device);   // of the new tokens

  [[nodiscard]] RowList rows(const std::byte* pool) const;

 private:
  SlotList(const Problem& problem, CudaDevice& device, const std::vector<std::int32_t>& slots)
      : slots_(upload(device, slots)),
        count_(static_cast<std::int64_t>(slots.size())),
        row_dim_(static_cast<int>(problem.shape().row_dim())) {}

  Buffer slots_;  // int32 [count]
  std::int64_t count_;
  int row_dim_;
};

StageCall append_stage(Problem& problem, CudaDevice& device, PoolFormat format);

// The rows of a pool as the step's slots name them.
KvRows pool_rows(const Problem& problem, PoolFormat format, const std::byte* data);

}  // namespace bench::cuda
