#pragma once

#include <cstdint>
#include <span>

#include "kernels/threads.h"

namespace bench {

// Bulk moves, shared out over threads. Pointers are aligned to 64 bytes and sizes are multiples of
// 64. Large results are written past the caches (non-temporal), in several pages at once, which
// keeps more writes in flight; small ones stay in cache for whoever reads them next.

void copy_streaming(Threads& threads, std::byte* to, const std::byte* from, std::int64_t bytes);
void copy_cached(Threads& threads, std::byte* to, const std::byte* from, std::int64_t bytes);

// E4M3 codes to BF16, exactly, NaN codes included.
void cast_e4m3(Threads& threads, std::uint16_t* to, const std::uint8_t* from, std::int64_t count);

// Rows index[0], index[1], ... of `from`, one after the other.
void gather_rows(Threads& threads, std::byte* to, const std::byte* from, std::int64_t row_bytes,
                 std::span<const std::int32_t> index);
// The same, cast from E4M3 to BF16 on the way.
void gather_cast_rows(Threads& threads, std::uint16_t* to, const std::uint8_t* from,
                      std::int64_t row_dim, std::span<const std::int32_t> index);

// Of the rows of these slots: to[slot] = cast of from[slot].
void cast_rows(Threads& threads, std::uint16_t* to, const std::uint8_t* from, std::int64_t row_dim,
               std::span<const std::int64_t> slots);

}  // namespace bench
