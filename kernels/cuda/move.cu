#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/move.h"

namespace bench::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(std::int64_t count, std::int64_t per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

// Each thread moves `Each` units, kThreads apart, and has all of them in flight before it stores
// the first: memory's latency times its bandwidth asks for some 30 KB in flight on every SM.
template <int Each, typename Load, typename Store>
__device__ __forceinline__ void move_units(std::int64_t count, Load load, Store store) {
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads * Each + threadIdx.x;
  decltype(load(first)) units[Each];
#pragma unroll
  for (int i = 0; i < Each; ++i) {
    if (first + i * kThreads < count) units[i] = load(first + i * kThreads);
  }
#pragma unroll
  for (int i = 0; i < Each; ++i) {
    if (first + i * kThreads < count) store(first + i * kThreads, units[i]);
  }
}

template <int Each>
__global__ __launch_bounds__(kThreads) void copy_kernel(uint4* to, const uint4* from,
                                                        std::int64_t count) {
  move_units<Each>(
      count, [=](std::int64_t i) { return __ldcs(from + i); },
      [=](std::int64_t i, uint4 unit) { __stcs(to + i, unit); });
}

// 8 codes in, 16 bytes out: both coalesced. 16 bytes in and 32 out, which are not, take 13 %
// longer.
template <int Each>
__global__ __launch_bounds__(kThreads) void cast_kernel(uint4* to, const uint2* from,
                                                        std::int64_t count) {
  move_units<Each>(
      count, [=](std::int64_t i) { return __ldcs(from + i); },
      [=](std::int64_t i, uint2 unit) { __stcs(to + i, e4m3x8_to_bf16x8(unit)); });
}

__global__ void cast_elementwise_kernel(__nv_bfloat16* to, const __nv_fp8_e4m3* from,
                                        std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) to[i] = __float2bfloat16(static_cast<float>(from[i]));
}

// Address of a unit of T of the rows of a list, units counted through.
template <typename T>
__device__ __forceinline__ const T* unit_of(const RowList& rows, std::uint32_t unit) {
  const std::uint32_t per_row = static_cast<std::uint32_t>(rows.row_dim) / sizeof(T);
  const std::uint32_t row = unit / per_row;
  const std::uint8_t* at = rows.pool + std::int64_t{rows.slots[row]} * rows.row_dim;
  return reinterpret_cast<const T*>(at) + (unit - row * per_row);
}

template <int Each>
__global__ __launch_bounds__(kThreads) void gather_kernel(uint4* to, RowList rows,
                                                          std::int64_t count) {
  move_units<Each>(
      count,
      [=](std::int64_t i) { return __ldg(unit_of<uint4>(rows, static_cast<std::uint32_t>(i))); },
      [=](std::int64_t i, uint4 unit) { to[i] = unit; });
}

template <int Each>
__global__ __launch_bounds__(kThreads) void gather_cast_kernel(uint4* to, RowList rows,
                                                               std::int64_t count) {
  move_units<Each>(
      count,
      [=](std::int64_t i) { return __ldg(unit_of<uint2>(rows, static_cast<std::uint32_t>(i))); },
      [=](std::int64_t i, uint2 unit) { to[i] = e4m3x8_to_bf16x8(unit); });
}

// A block is a row; `out_stride` is the distance of two slots of `to`, in units of 16 bytes. Reads
// the whole row before it writes, since the two may overlap.
__global__ void cast_rows_kernel(uint4* to, RowList rows, std::int64_t out_stride) {
  const std::int64_t slot = rows.slots[blockIdx.x];
  const auto* row = reinterpret_cast<const uint2*>(rows.pool + slot * rows.row_dim);
  const uint2 unit = row[threadIdx.x];
  __syncthreads();
  to[slot * out_stride + threadIdx.x] = e4m3x8_to_bf16x8(unit);
}

void launch_cast_rows(void* to, const RowList& rows, std::int64_t out_stride_bytes,
                      cudaStream_t stream) {
  cast_rows_kernel<<<static_cast<unsigned>(rows.count), static_cast<unsigned>(rows.row_dim / 8), 0,
                     stream>>>(static_cast<uint4*>(to), rows, out_stride_bytes / 16);
}

// Few units want many threads, many want several in flight a thread.
constexpr std::int64_t kFewUnits = 1 << 18;

}  // namespace

void copy(std::byte* to, const std::byte* from, std::int64_t bytes, cudaStream_t stream) {
  constexpr int kEach = 4;
  const std::int64_t count = bytes / 16;
  copy_kernel<kEach><<<blocks_for(count, kEach * kThreads), kThreads, 0, stream>>>(
      reinterpret_cast<uint4*>(to), reinterpret_cast<const uint4*>(from), count);
  check_launch("copy");
}

void cast(std::uint16_t* to, const std::uint8_t* from, std::int64_t count, cudaStream_t stream) {
  constexpr int kEach = 1;  // takes 3 % less time than 4 for a large pool
  const std::int64_t units = count / 8;
  cast_kernel<kEach><<<blocks_for(units, kEach * kThreads), kThreads, 0, stream>>>(
      reinterpret_cast<uint4*>(to), reinterpret_cast<const uint2*>(from), units);
  check_launch("cast");
}

void cast_elementwise(std::uint16_t* to, const std::uint8_t* from, std::int64_t count,
                      cudaStream_t stream) {
  cast_elementwise_kernel<<<blocks_for(count, kThreads), kThreads, 0, stream>>>(
      reinterpret_cast<__nv_bfloat16*>(to), reinterpret_cast<const __nv_fp8_e4m3*>(from), count);
  check_launch("cast_elementwise");
}

void gather(std::uint8_t* to, const RowList& rows, cudaStream_t stream) {
  const std::int64_t units = rows.count * rows.row_dim / 16;
  auto* out = reinterpret_cast<uint4*>(to);
  if (units < kFewUnits) {
    gather_kernel<1><<<blocks_for(units, kThreads), kThreads, 0, stream>>>(out, rows, units);
  } else {
    gather_kernel<4><<<blocks_for(units, 4 * kThreads), kThreads, 0, stream>>>(out, rows, units);
  }
  check_launch("gather");
}

void gather_cast(std::uint16_t* to, const RowList& rows, cudaStream_t stream) {
  const std::int64_t units = rows.count * rows.row_dim / 8;
  auto* out = reinterpret_cast<uint4*>(to);
  if (units < kFewUnits) {
    gather_cast_kernel<1><<<blocks_for(units, kThreads), kThreads, 0, stream>>>(out, rows, units);
  } else {
    gather_cast_kernel<4>
        <<<blocks_for(units, 4 * kThreads), kThreads, 0, stream>>>(out, rows, units);
  }
  check_launch("gather_cast");
}

void cast_rows(std::uint16_t* to, const RowList& rows, cudaStream_t stream) {
  launch_cast_rows(to, rows, std::int64_t{rows.row_dim} * 2, stream);
  check_launch("cast_rows");
}

void cast_in_place(std::uint8_t* pool, const RowList& rows, cudaStream_t stream) {
  launch_cast_rows(pool, rows, rows.row_dim, stream);
  check_launch("cast_in_place");
}

}  // namespace bench::cuda
