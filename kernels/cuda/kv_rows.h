#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/pool_format.h"

namespace bench::cuda {

// Where the attention finds a layer's rows: in a pool, or in a compact copy of it. Device memory.
struct KvRows {
  PoolFormat format;
  const std::byte* data;             // [slots]
  std::int64_t row_bytes;            // from one slot to the next
  const std::int32_t* page_offsets;  // [requests + 1] into pages
  const std::int32_t* pages;
  std::int64_t page_size;
};

}  // namespace bench::cuda
