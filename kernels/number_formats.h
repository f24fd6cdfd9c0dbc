#pragma once

#include <bit>
#include <cstdint>

namespace bench {

// Storage formats, bit by bit, equal on host and device (constexpr; see random.h). The reference
// and the input generator use these; kernels use the hardware's own conversions.

// E4M3 as in OCP FP8 1.0 ("e4m3fn"): 1-4-3, bias 7, no infinity, 0x7f and 0xff are NaN,
// largest 448, smallest subnormal 2^-9.
constexpr bool e4m3_is_nan(std::uint8_t code) { return (code & 0x7f) == 0x7f; }

constexpr float e4m3_to_float(std::uint8_t code) {
  const std::uint32_t sign = std::uint32_t{code & 0x80u} << 24;
  const std::uint32_t exponent = (code >> 3) & 0xfu;
  const std::uint32_t mantissa = code & 7u;
  if (e4m3_is_nan(code)) return std::bit_cast<float>(sign | 0x7fc00000u);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-9f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 120) << 23) | (mantissa << 20));
}

// Round to nearest even, saturating to +-448 (cvt.rn.satfinite.e4m3x2); NaN stays NaN.
constexpr std::uint8_t float_to_e4m3(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint8_t>((bits >> 24) & 0x80u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7f;
  if (magnitude >= 0x43e80000u) return sign | 0x7e;  // 464: halfway between 448 and the NaN code
  if (magnitude < 0x3c800000u) {                     // below 2^-6: subnormal codes of step 2^-9
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p9f;
    const auto down = static_cast<std::uint32_t>(scaled);
    const float rest = scaled - static_cast<float>(down);
    const std::uint32_t up = (rest > 0.5f || (rest == 0.5f && (down & 1u) != 0)) ? 1 : 0;
    return static_cast<std::uint8_t>(sign | (down + up));
  }
  const std::uint32_t rounded = magnitude + 0x7ffffu + ((magnitude >> 20) & 1u);
  return static_cast<std::uint8_t>(sign | ((rounded >> 20) - (120u << 3)));
}

constexpr float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Round to nearest even; NaN stays NaN.
constexpr std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace bench
