#pragma once

#include <cstdint>
#include <span>

#include "kernels/pool_format.h"
#include "kernels/threads.h"

namespace bench {

// A layer's pool: [shape.pool_tokens, row_bytes(format, shape)].
struct Pool {
  PoolFormat format;
  const StepShape& shape;
  std::byte* data;
};

// The append stage: new rows (bf16 [shape.new_tokens(), row_dim], model units) into their slots.
void append_rows(Threads& threads, const Pool& pool, const std::uint16_t* new_rows,
                 const std::int64_t* slots);

// Rows of original_value() into their slots.
void write_original_rows(Threads& threads, const Pool& pool, std::span<const std::int64_t> slots,
                         int layer, std::uint64_t seed);

// Word i (8 bytes) = hash64(seed, i), the last one cut off where `bytes` ends.
void fill_hashed(Threads& threads, std::byte* to, std::int64_t bytes, std::uint64_t seed);

}  // namespace bench
