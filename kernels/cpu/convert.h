#pragma once

#include <bit>
#include <cstdint>

#include "kernels/cpu/simd.h"

// Number formats on vectors (number_formats.h says what they mean).

namespace bench::simd {

template <int Bytes>
struct Lanes {  // of 32 bits
  static constexpr int kCount = Bytes / 4;
  using F32 = Vector<float, Bytes>;
  using U32 = Vector<std::uint32_t, Bytes>;
  using U16 = Vector<std::uint16_t, Bytes / 2>;  // as many lanes, half the width
  using U8 = Vector<std::uint8_t, Bytes / 4>;
};

template <typename V>
struct Pair {
  V first;
  V second;
};

template <typename To, typename From>
[[gnu::always_inline]] inline To as(const From& value) {
  static_assert(sizeof(To) == sizeof(From));
  return std::bit_cast<To>(value);
}

// E4M3 codes to bf16 bits, in 16-bit lanes. Exact.
template <typename U16>
[[gnu::always_inline]] inline U16 e4m3_to_bf16(const U16& code) {
  const U16 magnitude = code & 0x7f;
  const U16 normal = (magnitude << 4) + std::uint16_t{0x3c00};  // exponent bias 7 -> 127
  // 2^-9 x (1, 2..3, 4..7) have bf16 exponents 118, 119, 120.
  const U16 four = (magnitude << 5) + std::uint16_t{0x3c00 - 0x80};
  const U16 two = (magnitude << 6) + std::uint16_t{0x3b80 - 0x80};
  const U16 one = magnitude * std::uint16_t{0x3b00};
  const U16 subnormal = magnitude >= 4 ? four : (magnitude >= 2 ? two : one);
  const U16 nan = U16{} + std::uint16_t{0x7fc0};
  const U16 finite = magnitude < 8 ? subnormal : normal;
  return (magnitude == 0x7f ? nan : finite) | ((code & 0x80) << 8);
}

// BF16 bits to FP32. Exact.
template <int Bytes>
[[gnu::always_inline]] inline typename Lanes<Bytes>::F32 widen_bf16(
    const typename Lanes<Bytes>::U16& bits) {
  using U32 = typename Lanes<Bytes>::U32;
  return as<typename Lanes<Bytes>::F32>(U32(__builtin_convertvector(bits, U32) << 16));
}

// Two vectors of E4M3 codes to FP32. Exact. As FP16 bits a code means 2^-8 of its value, and F16C
// widens FP16 subnormals at full speed, which FP32 arithmetic on subnormals would not.
template <int Bytes>
[[gnu::always_inline]] inline Pair<typename Lanes<Bytes>::F32> load_e4m3(const void* from) {
  using U16 = Vector<std::uint16_t, Bytes>;
  using Half = typename Lanes<Bytes>::U16;
  if constexpr (kHasHalfFloats<Bytes>) {
    using I16 = Vector<std::int16_t, Bytes>;
    const auto codes = load<Vector<std::int8_t, Bytes / 2>>(from);
    const U16 bits = (as<U16>(I16(__builtin_convertvector(codes, I16))) << 7) & 0xbfff;
    const U16 half = (bits & 0x3f80) == 0x3f80 ? bits | 0x7c00 : bits;  // NaN
    const auto halves = as<Pair<Half>>(half);
    return {half_to_float<Bytes>(halves.first) * 256, half_to_float<Bytes>(halves.second) * 256};
  } else {
    const auto codes = load<Vector<std::uint8_t, Bytes / 2>>(from);
    const auto halves = as<Pair<Half>>(e4m3_to_bf16(U16(__builtin_convertvector(codes, U16))));
    return {widen_bf16<Bytes>(halves.first), widen_bf16<Bytes>(halves.second)};
  }
}

template <int Bytes>
[[gnu::always_inline]] inline typename Lanes<Bytes>::F32 load_bf16(const void* from) {
  return widen_bf16<Bytes>(load<typename Lanes<Bytes>::U16>(from));
}

// Round to nearest even, saturating; NaN stays NaN.
template <int Bytes>
[[gnu::always_inline]] inline void store_e4m3(void* to, const typename Lanes<Bytes>::F32& value) {
  using U32 = typename Lanes<Bytes>::U32;
  using F32 = typename Lanes<Bytes>::F32;
  const U32 bits = as<U32>(value);
  const U32 magnitude = bits & 0x7fffffffU;
  const U32 normal = ((magnitude + 0x7ffffU + ((magnitude >> 20) & 1)) >> 20) - (120U << 3);
  // Beside 2^14 a float's last bit is 2^-9, the step of the subnormal codes.
  const U32 subnormal =
      as<U32>(as<F32>(magnitude) + 0x1p14F) - std::bit_cast<std::uint32_t>(0x1p14F);
  const U32 largest = U32{} + 0x7eU;
  const U32 nan = U32{} + 0x7fU;
  const U32 small = magnitude < 0x3c800000U ? subnormal : normal;
  const U32 finite = magnitude >= 0x43e80000U ? largest : small;
  const U32 code = (magnitude > 0x7f800000U ? nan : finite) | ((bits >> 24) & 0x80U);
  // In two steps, each of which is one instruction.
  const auto narrow = __builtin_convertvector(code, typename Lanes<Bytes>::U16);
  store(to, __builtin_convertvector(narrow, typename Lanes<Bytes>::U8));
}

template <int Bytes>
[[gnu::always_inline]] inline void store_bf16(void* to, const typename Lanes<Bytes>::F32& value) {
  using U32 = typename Lanes<Bytes>::U32;
  const U32 bits = as<U32>(value);
  const U32 rounded = (bits + 0x7fffU + ((bits >> 16) & 1)) >> 16;
  const U32 nan = (bits >> 16) | 0x40U;
  const U32 result = (bits & 0x7fffffffU) > 0x7f800000U ? nan : rounded;
  store(to, __builtin_convertvector(result, typename Lanes<Bytes>::U16));
}

// 2^x for x <= 0, relative error below 2e-7; 0 below -126.
template <int Bytes>
[[gnu::always_inline]] inline typename Lanes<Bytes>::F32 exp2(const typename Lanes<Bytes>::F32& x) {
  using F32 = typename Lanes<Bytes>::F32;
  using U32 = typename Lanes<Bytes>::U32;
  const F32 floor = F32{} - 126;
  const F32 clamped = x < floor ? floor : x;
  const F32 shifted = clamped + 0x1.8p23F;  // the nearest integer, in the low bits
  const F32 rest = clamped - (shifted - 0x1.8p23F);
  // (2^rest - 1) / rest on [-1/2, 1/2], interpolated at Chebyshev's points; off by 5e-9.
  F32 power = rest * 1.545316294e-4F + 1.339086336e-3F;
  power = power * rest + 9.618082557e-3F;
  power = power * rest + 5.550357114e-2F;
  power = power * rest + 2.402265076e-1F;
  power = power * rest + 6.931471880e-1F;
  power = power * rest + 1;
  const F32 scaled = as<F32>(as<U32>(power) + (as<U32>(shifted) << 23));
  return x < floor ? F32{} : scaled;
}

// Sum and maximum of all lanes.
template <typename V>
[[gnu::always_inline]] inline float sum(const V& value) {
  constexpr std::size_t kCount = sizeof(V) / sizeof(float);
  if constexpr (kCount == 4) {
    return (value[0] + value[1]) + (value[2] + value[3]);
  } else {
    using Half = Vector<float, sizeof(V) / 2>;
    const auto* halves = reinterpret_cast<const Half*>(&value);
    return sum(Half(halves[0] + halves[1]));
  }
}
template <typename V>
[[gnu::always_inline]] inline float maximum(const V& value) {
  float largest = value[0];
  for (std::size_t i = 1; i < sizeof(V) / sizeof(float); ++i) {
    largest = value[i] > largest ? value[i] : largest;
  }
  return largest;
}

}  // namespace bench::simd
