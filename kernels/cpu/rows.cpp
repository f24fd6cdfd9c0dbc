#include "kernels/cpu/rows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/convert.h"
#include "kernels/cpu/simd.h"
#include "kernels/random.h"

namespace bench {
namespace {

constexpr std::size_t kMaxRowDim = 1024;

struct StoreE4m3 {
  template <int Bytes>
  [[gnu::always_inline]] static void run(std::byte* to, const float* values, std::int64_t count,
                                         float scale) {
    using F32 = typename simd::Lanes<Bytes>::F32;
    for (std::int64_t i = 0; i < count; i += simd::Lanes<Bytes>::kCount) {
      simd::store_e4m3<Bytes>(to + i, simd::load<F32>(values + i) / scale);
    }
  }
};

struct StoreBf16 {
  template <int Bytes>
  [[gnu::always_inline]] static void run(std::byte* to, const float* values, std::int64_t count) {
    using F32 = typename simd::Lanes<Bytes>::F32;
    for (std::int64_t i = 0; i < count; i += simd::Lanes<Bytes>::kCount) {
      simd::store_bf16<Bytes>(to + i * 2, simd::load<F32>(values + i));
    }
  }
};

struct LoadDivided {
  template <int Bytes>
  [[gnu::always_inline]] static void run(float* to, const std::uint16_t* from, std::int64_t count,
                                         float divisor) {
    for (std::int64_t i = 0; i < count; i += simd::Lanes<Bytes>::kCount) {
      simd::store(to + i, simd::load_bf16<Bytes>(from + i) / divisor);
    }
  }
};

struct FillHashed {
  template <int Bytes>
  [[gnu::always_inline]] static void run(std::byte* to, std::int64_t first, std::int64_t words,
                                         std::uint64_t seed) {
    using U64 = simd::Vector<std::uint64_t, Bytes>;
    constexpr std::int64_t kCount = Bytes / 8;
    U64 index{};
    for (std::int64_t i = 0; i < kCount; ++i) index[i] = static_cast<std::uint64_t>(first + i);
    std::int64_t i = 0;
    for (; i + kCount <= words; i += kCount) {
      // hash64() of random.h, lane by lane
      U64 z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      simd::store(to + i * 8, U64(z ^ (z >> 31)));
      index += kCount;
    }
    for (; i < words; ++i)
      simd::store(to + i * 8, hash64(seed, static_cast<std::uint64_t>(first + i)));
  }
};

struct LargestMagnitude {
  template <int Bytes>
  [[gnu::always_inline]] static void run(const float* values, std::int64_t count, float* largest) {
    using F32 = typename simd::Lanes<Bytes>::F32;
    F32 most{};
    for (std::int64_t i = 0; i < count; i += simd::Lanes<Bytes>::kCount) {
      const auto value = simd::load<F32>(values + i);
      const F32 magnitude = value < 0 ? -value : value;
      most = magnitude > most ? magnitude : most;
    }
    *largest = simd::maximum(most);
  }
};

void quantise_tiles(const StepShape& shape, const float* values, std::byte* row) {
  std::byte* scales = row + shape.latent;
  for (std::int64_t tile = 0; tile < shape.latent; tile += kScaleTile) {
    float largest = 0;
    simd::run<LargestMagnitude>(values + tile, std::int64_t{kScaleTile}, &largest);
    const float scale = std::max(largest, kSmallestTileMaximum) / 448.0F;
    simd::run<StoreE4m3>(row + tile, values + tile, std::int64_t{kScaleTile}, scale);
    std::memcpy(scales, &scale, sizeof scale);
    scales += sizeof scale;
  }
  simd::run<StoreBf16>(scales, values + shape.latent, shape.rope);
}

// Rounds the values, in units of k_scale, to the row of a slot.
void quantise_row(const Pool& pool, const float* values, std::int64_t slot) {
  const std::int64_t count = pool.shape.row_dim();
  std::byte* row = pool.data + slot * row_bytes(pool.format, pool.shape);
  switch (pool.format) {
    case PoolFormat::e4m3:
      return simd::run<StoreE4m3>(row, values, count, 1.0F);
    case PoolFormat::bf16:
      return simd::run<StoreBf16>(row, values, count);
    case PoolFormat::ds_mla656:
      return quantise_tiles(pool.shape, values, row);
  }
}

}  // namespace

void append_rows(Threads& threads, const Pool& pool, const std::uint16_t* new_rows,
                 const std::int64_t* slots) {
  const std::int64_t count = pool.shape.row_dim();
  threads.for_ranges(pool.shape.new_tokens(), 16, [&](std::int64_t begin, std::int64_t end) {
    std::array<float, kMaxRowDim> values;
    for (std::int64_t i = begin; i < end; ++i) {
      simd::run<LoadDivided>(values.data(), new_rows + i * count, count, pool.shape.k_scale);
      quantise_row(pool, values.data(), slots[i]);
    }
  });
}

void write_original_rows(Threads& threads, const Pool& pool, std::span<const std::int64_t> slots,
                         int layer, std::uint64_t seed) {
  threads.for_each(static_cast<std::int64_t>(slots.size()), [&](std::int64_t i) {
    const std::int64_t slot = slots[static_cast<std::size_t>(i)];
    std::array<float, kMaxRowDim> values;
    for (std::int64_t c = 0; c < pool.shape.row_dim(); ++c) {
      values[static_cast<std::size_t>(c)] = original_value(seed, layer, slot, c);
    }
    quantise_row(pool, values.data(), slot);
  });
}

void fill_hashed(Threads& threads, std::byte* to, std::int64_t bytes, std::uint64_t seed) {
  const std::int64_t words = bytes / 8;
  threads.for_ranges(words, 1 << 16, [=](std::int64_t begin, std::int64_t end) {
    simd::run<FillHashed>(to + begin * 8, begin, end - begin, seed);
  });
  const std::uint64_t last = hash64(seed, static_cast<std::uint64_t>(words));
  std::memcpy(to + words * 8, &last, static_cast<std::size_t>(bytes % 8));
}

}  // namespace bench
