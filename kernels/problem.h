#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device.h"
#include "kernels/part.h"
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

// How a query is made. Errors that one kind forgives, another shows.
enum class QueryKind {
  random,   // scores spread by about 1.5: every token counts a little
  peaked,   // one key holds about 0.95 of the softmax
  one_hot,  // one key holds all of it: the output is that token's latent, known beforehand
};
struct QueryAim {
  QueryKind kind;
  std::int64_t token;  // of the request: the key that dominates; -1 for random
  int rank = 0;        // that holds it (context parallel)
};

// A new token's row in model units, bf16 [row_dim]: what append is given for its slot.
void make_new_row(const StepShape& shape, std::uint64_t row_seed, int layer, std::int64_t slot,
                  std::uint16_t* row);

// The inputs and outputs of a step on one device, shared by every variant of a point, so that all
// read the same pools, slots and queries. Active slots hold the rows of original_value(); all
// others hold arbitrary bytes. Pointers are device memory owned by the Problem or the PoolCache;
// pools stay where they are until another Problem makes the cache grow.
class Problem {
 public:
  // `seed` is the same on every rank of a step, `part` this rank's.
  Problem(PoolCache& pools, StepShape shape, std::uint64_t seed, Part part = {});

  [[nodiscard]] const StepShape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] const Part& part() const { return part_; }
  // Of original_value() of the rows that a rank holds.
  [[nodiscard]] std::uint64_t row_seed(int rank) const { return part_.row_seed(seed_, rank); }
  [[nodiscard]] const SlotMap& slots() const { return slots_; }  // host
  [[nodiscard]] Device& device() const { return pools_.device(); }

  // [pool_tokens, row_bytes]; rows of the active slots are written on first use.
  void* pool(PoolFormat format, int layer);
  // Writes the active rows anew at the next pool(): after something wrong wrote into them.
  void forget_rows(PoolFormat format);
  // bf16 [requests, query_tokens, heads, row_dim]. Those of check_layers() are aimed at their
  // layer's own keys; the other layers borrow them, so that queries stay small and warm in cache,
  // as they are in a model, which has just computed them.
  [[nodiscard]] const std::uint16_t* queries(int layer) const;
  [[nodiscard]] const std::vector<int>& check_layers() const { return check_layers_; }  // ascending
  // What the query of one of check_layers() was made for.
  [[nodiscard]] QueryAim aim(int layer, std::int64_t request, std::int64_t query_token,
                             std::int64_t head) const;
  // bf16 [requests, query_tokens, row_dim]: the new tokens' rows in model units. What append
  // stores is the pool format's rounding of float(new row) / k_scale, one IEEE division.
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
  [[nodiscard]] std::vector<std::uint16_t> make_queries() const;
  void make_query(int layer, std::int64_t index, std::span<std::uint16_t> query) const;
  [[nodiscard]] std::vector<std::uint16_t> make_new_rows() const;

  PoolCache& pools_;
  StepShape shape_;
  std::uint64_t seed_;
  Part part_;
  SlotMap slots_;
  std::vector<int> check_layers_;
  std::array<std::vector<bool>, kPoolFormats> written_;  // [format][layer]
  Buffer queries_, new_rows_, page_offsets_, pages_, contexts_, new_slots_, active_slots_, output_,
      lse_;
};

}  // namespace bench
