#include "kernels/cpu/move.h"

#include <algorithm>

#include "kernels/cpu/convert.h"
#include "kernels/cpu/host.h"
#include "kernels/cpu/simd.h"

namespace bench {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kPages = 4;  // written at once: the best of 1, 2, 4 and 8
// One line from `from` to `to`, as it is or cast from E4M3 codes to twice as many bytes of BF16.
template <int Bytes, bool Streaming, bool Casting>
[[gnu::always_inline]] inline void move_line(std::byte* to, const std::byte* from) {
  using Out = simd::Vector<std::uint16_t, Bytes>;
  constexpr int kStep = Casting ? Bytes / 2 : Bytes;
  for (int i = 0; i < kLine; i += kStep) {
    Out out;
    if constexpr (Casting) {
      const auto codes = simd::load<simd::Vector<std::uint8_t, Bytes / 2>>(from + i);
      out = simd::e4m3_to_bf16(Out(__builtin_convertvector(codes, Out)));
    } else {
      out = simd::load<Out>(from + i);
    }
    std::byte* at = to + (Casting ? 2 * i : i);
    if constexpr (Streaming) {
      simd::stream(reinterpret_cast<Out*>(at), out);
    } else {
      simd::store(at, out);
    }
  }
}

template <bool Streaming, bool Casting>
struct MoveLines {
  template <int Bytes>
  [[gnu::always_inline]] static void run(std::byte* to, const std::byte* from, std::int64_t bytes) {
    constexpr std::int64_t kGrowth = Casting ? 2 : 1;
    std::int64_t done = 0;
    for (; Streaming && done + kPages * kPage <= bytes; done += kPages * kPage) {
      for (std::int64_t i = done; i < done + kPage; i += kLine) {
        for (std::int64_t at = i; at < i + kPages * kPage; at += kPage) {
          move_line<Bytes, Streaming, Casting>(to + at * kGrowth, from + at);
        }
      }
    }
    for (; done < bytes; done += kLine) {
      move_line<Bytes, Streaming, Casting>(to + done * kGrowth, from + done);
    }
    if constexpr (Streaming) simd::fence();
  }
};

template <bool Streaming, bool Casting>
struct MoveRows {
  // Rows that are written in turn, line by line. Only casts gain: they write twice what they read.
  static constexpr std::int64_t kStreams = Streaming && Casting ? kPages : 1;
  static constexpr std::int64_t kGrowth = Casting ? 2 : 1;
  static constexpr std::int64_t kAhead = 2;

  template <int Bytes>
  [[gnu::always_inline]] static void run(std::byte* to, const std::byte* from,
                                         std::int64_t row_bytes, const std::int32_t* index,
                                         std::int64_t count) {
    const std::int64_t length = count / kStreams;
    for (std::int64_t i = 0; i < length; ++i) {
      for (std::int64_t at = 0; at < row_bytes; at += kLine) {
        for (std::int64_t row = i; row < length * kStreams; row += length) {
          simd::prefetch(from + index[std::min(row + kAhead, count - 1)] * row_bytes + at);
          move_line<Bytes, Streaming, Casting>(to + (row * row_bytes + at) * kGrowth,
                                               from + index[row] * row_bytes + at);
        }
      }
    }
    for (std::int64_t row = length * kStreams; row < count; ++row) {
      for (std::int64_t at = 0; at < row_bytes; at += kLine) {
        move_line<Bytes, Streaming, Casting>(to + (row * row_bytes + at) * kGrowth,
                                             from + index[row] * row_bytes + at);
      }
    }
    if constexpr (Streaming) simd::fence();
  }
};

// Whether a result is too large to wait in the last-level cache for its reader. An eighth of it:
// the cache is shared, by other virtual machines too.
bool is_large(std::int64_t bytes) {
  static const std::int64_t kLarge = last_level_cache() / 8;
  return bytes > kLarge;
}

template <bool Streaming, bool Casting>
void move_lines(Threads& threads, std::byte* to, const std::byte* from, std::int64_t bytes) {
  threads.for_ranges(bytes, kPages * kPage, [=](std::int64_t begin, std::int64_t end) {
    simd::run<MoveLines<Streaming, Casting>>(to + begin * (Casting ? 2 : 1), from + begin,
                                             end - begin);
  });
}

template <bool Streaming, bool Casting>
void move_rows(Threads& threads, std::byte* to, const std::byte* from, std::int64_t row_bytes,
               std::span<const std::int32_t> index) {
  constexpr std::int64_t kRows = 16;
  const auto count = static_cast<std::int64_t>(index.size());
  threads.for_ranges(count, kRows, [=](std::int64_t begin, std::int64_t end) {
    simd::run<MoveRows<Streaming, Casting>>(to + begin * row_bytes * (Casting ? 2 : 1), from,
                                            row_bytes, index.data() + begin, end - begin);
  });
}

}  // namespace

void copy_streaming(Threads& threads, std::byte* to, const std::byte* from, std::int64_t bytes) {
  move_lines<true, false>(threads, to, from, bytes);
}

void copy_cached(Threads& threads, std::byte* to, const std::byte* from, std::int64_t bytes) {
  move_lines<false, false>(threads, to, from, bytes);
}

void cast_e4m3(Threads& threads, std::uint16_t* to, const std::uint8_t* from, std::int64_t count) {
  const auto cast = is_large(count * 2) ? move_lines<true, true> : move_lines<false, true>;
  cast(threads, reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from), count);
}

void gather_rows(Threads& threads, std::byte* to, const std::byte* from, std::int64_t row_bytes,
                 std::span<const std::int32_t> index) {
  const auto bytes = static_cast<std::int64_t>(index.size()) * row_bytes;
  const auto gather = is_large(bytes) ? move_rows<true, false> : move_rows<false, false>;
  gather(threads, to, from, row_bytes, index);
}

void gather_cast_rows(Threads& threads, std::uint16_t* to, const std::uint8_t* from,
                      std::int64_t row_dim, std::span<const std::int32_t> index) {
  const auto bytes = static_cast<std::int64_t>(index.size()) * row_dim * 2;
  const auto gather = is_large(bytes) ? move_rows<true, true> : move_rows<false, true>;
  gather(threads, reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from),
         row_dim, index);
}

void cast_rows(Threads& threads, std::uint16_t* to, const std::uint8_t* from, std::int64_t row_dim,
               std::span<const std::int64_t> slots) {
  threads.for_ranges(
      static_cast<std::int64_t>(slots.size()), 16, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t row = slots[static_cast<std::size_t>(i)] * row_dim;
          simd::run<MoveLines<false, true>>(reinterpret_cast<std::byte*>(to + row),
                                            reinterpret_cast<const std::byte*>(from + row),
                                            row_dim);
        }
      });
}

}  // namespace bench
