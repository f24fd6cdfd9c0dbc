#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <cstdint>

// Conversions by the hardware's instructions (or CUDA's substitute where there are none).
namespace bench::cuda {

__device__ __forceinline__ float2 bf16x2_to_float2(std::uint32_t pair) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u)};
}

// Nearest, ties to even.
__device__ __forceinline__ std::uint32_t float2_to_bf16x2(float2 values) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(values.x, values.y);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// Exact: E4M3's values are BF16's too.
__device__ __forceinline__ std::uint32_t e4m3x2_to_bf16x2(std::uint16_t codes) {
  const __half2_raw half = __nv_cvt_fp8x2_to_halfraw2(codes, __NV_E4M3);
  return float2_to_bf16x2(__half22float2(half));
}

__device__ __forceinline__ uint4 e4m3x8_to_bf16x8(uint2 codes) {
  return {e4m3x2_to_bf16x2(static_cast<std::uint16_t>(codes.x)),
          e4m3x2_to_bf16x2(static_cast<std::uint16_t>(codes.x >> 16)),
          e4m3x2_to_bf16x2(static_cast<std::uint16_t>(codes.y)),
          e4m3x2_to_bf16x2(static_cast<std::uint16_t>(codes.y >> 16))};
}

// Nearest, ties to even, saturating.
__device__ __forceinline__ std::uint32_t floats_to_e4m3x4(float4 values) {
  const std::uint32_t low =
      __nv_cvt_float2_to_fp8x2({values.x, values.y}, __NV_SATFINITE, __NV_E4M3);
  const std::uint32_t high =
      __nv_cvt_float2_to_fp8x2({values.z, values.w}, __NV_SATFINITE, __NV_E4M3);
  return low | high << 16;
}

}  // namespace bench::cuda
