#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/pool_format.h"

namespace bench::cuda {

// A layer's pool: [shape.pool_tokens, row_bytes(format, shape)] of device memory.
struct Pool {
  PoolFormat format;
  const StepShape& shape;
  std::byte* data;
};

// Word i (8 bytes) = hash64(seed, i), the last one cut off where `bytes` ends.
void fill_random(std::byte* to, std::int64_t bytes, std::uint64_t seed, cudaStream_t stream);

// Rows of original_value() into their slots (device memory).
void write_original_rows(const Pool& pool, std::span<const std::int64_t> slots, int layer,
                         std::uint64_t seed, cudaStream_t stream);

// The append stage: new rows (bf16 [shape.new_tokens(), row_dim], model units) into their slots.
void append_rows(const Pool& pool, const std::uint16_t* new_rows, const std::int64_t* slots,
                 cudaStream_t stream);

}  // namespace bench::cuda
