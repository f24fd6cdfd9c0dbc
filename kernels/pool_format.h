#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/random.h"
#include "kernels/shape.h"

namespace bench {

// How one latent row is stored.
enum class PoolFormat {
  e4m3,       // row_dim() e4m3 codes, per-tensor scales (SGLang, FlashInfer, TensorRT-LLM)
  bf16,       // row_dim() bf16
  ds_mla656,  // latent e4m3 | latent/128 fp32 scales | rope bf16 (fp8_ds_mla: 512 + 16 + 128)
};
inline constexpr int kPoolFormats = 3;
inline constexpr int kScaleTile = 128;  // columns that share a scale in ds_mla656
// A tile's scale is max(largest magnitude, this) / 448, so that a tile of zeros has one too.
inline constexpr float kSmallestTileMaximum = 0x1p-20f;

std::string to_string(PoolFormat format);
std::int64_t row_bytes(PoolFormat format, const StepShape& shape);

// One row between numbers, in units of k_scale ([row_dim]), and its stored bytes ([row_bytes]).
// Scalar code that says what each format means; round to nearest even, one IEEE division by a
// tile's scale. The check and the reference use it, kernels have their own.
void encode_row(PoolFormat format, const StepShape& shape, std::span<const float> values,
                std::byte* row);
void decode_row(PoolFormat format, const StepShape& shape, const std::byte* row,
                std::span<double> values);

// The original (unquantised) value of one column of the token in `slot`, in units of k_scale: what
// the model would have produced, before a format rounds it. Roughly uniform in +-(0, 2), exact in
// BF16; the E4M3 pool holds its rounding. Equal on host and device.
constexpr float original_value(std::uint64_t seed, std::int64_t layer, std::int64_t slot,
                               std::int64_t column) {
  const std::uint64_t stream = hash64(seed, static_cast<std::uint64_t>(layer));
  const std::uint64_t word = hash64(stream, static_cast<std::uint64_t>(slot * 256 + column / 4));
  const auto bits = static_cast<std::uint32_t>(word >> (16 * (column % 4))) & 0xffffu;
  // sign | 7 bits of significand | 8 bits whose trailing ones halve the value
  const std::uint32_t lowest_zero = ~(bits & 0x3fu) & ((bits & 0x3fu) + 1);  // 2^halvings, <= 2^6
  const std::uint32_t exponent =
      254 - (std::bit_cast<std::uint32_t>(static_cast<float>(lowest_zero)) >> 23);
  return std::bit_cast<float>((bits & 0x8000u) << 16 | exponent << 23 | (bits & 0x7f00u) << 8);
}

}  // namespace bench
