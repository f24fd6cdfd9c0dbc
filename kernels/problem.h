#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/device.h"
#include "kernels/pool_format.h"
#include "kernels/shape.h"

namespace bench {

// Where each request's tokens lie. Pages are drawn without repetition from the whole pool
// (scattered) or in order (contiguous).
struct SlotMap {
  std::vector<std::int32_t> page_offsets;  // [requests + 1] into pages
  std::vector<std::int32_t> pages;         // page numbers, request after request
  std::int64_t page_size = 1;

  // Slot of token `token` (0 = oldest) of a request.
  [[nodiscard]] std::int64_t slot(std::int64_t request, std::int64_t token) const;
};
SlotMap make_slot_map(const StepShape& shape, std::uint64_t seed);

// The pools of a device, one a format and layer, kept while a worker goes from point to point:
// filling tens of gigabytes again for every point would outweigh the measurement. Grows as
// needed; a smaller pool is the front part of a larger one.
class PoolCache {
 public:
  explicit PoolCache(Device& device) : device_(device) {}
  // At least `bytes`; new memory is filled with arbitrary bytes, NaN codes included.
  void* pool(PoolFormat format, int layer, std::size_t bytes);
  void clear();  // frees everything
  [[nodiscard]] Device& device() const { return device_; }

 private:
  Device& device_;
  std::array<std::vector<Buffer>, kPoolFormats> pools_;
};

// The inputs and outputs of a step on one device, shared by every variant of a point, so that all
// read the same pools, slots and queries. Active slots hold the rows of original_value(); all
// others hold arbitrary bytes. Pointers are device memory owned by the Problem or the PoolCache.
class Problem {
 public:
  Problem(PoolCache& pools, StepShape shape, std::uint64_t seed);

  [[nodiscard]] const StepShape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] const SlotMap& slots() const { return slots_; }  // host
  [[nodiscard]] Device& device() const { return pools_.device(); }

  // [pool_tokens, row_bytes]; rows of the active slots are written on first use.
  void* pool(PoolFormat format, int layer);
  // bf16 [requests, query_tokens, heads, row_dim]
  [[nodiscard]] const std::uint16_t* queries(int layer) const;
  // bf16 [requests, query_tokens, row_dim]: the new tokens' rows in model units (x k_scale)
  [[nodiscard]] const std::uint16_t* new_rows(int layer) const;
  [[nodiscard]] const std::int32_t* page_offsets() const {
    return page_offsets_.as<std::int32_t>();
  }  // [requests + 1]
  [[nodiscard]] const std::int32_t* pages() const {
    return pages_.as<std::int32_t>();
  }  // [page_offsets.back()]
  [[nodiscard]] const std::int32_t* contexts() const {
    return contexts_.as<std::int32_t>();
  }  // [requests]
  [[nodiscard]] const std::int64_t* new_slots() const {
    return new_slots_.as<std::int64_t>();
  }  // [requests, query_tokens]
  // bf16 [requests, query_tokens, heads, latent] and natural-log LSE [requests, query_tokens,
  // heads]; every layer overwrites them.
  [[nodiscard]] std::uint16_t* output() const { return output_.as<std::uint16_t>(); }
  [[nodiscard]] float* lse() const { return lse_.as<float>(); }

 private:
  PoolCache& pools_;
  StepShape shape_;
  std::uint64_t seed_;
  SlotMap slots_;
  std::array<std::vector<bool>, kPoolFormats> written_;  // [format][layer]
  Buffer queries_, new_rows_, page_offsets_, pages_, contexts_, new_slots_, active_slots_, output_,
      lse_;
};

}  // namespace bench
