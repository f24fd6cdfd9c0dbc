#pragma once

#include <cstdint>

// Hopper's warpgroup mma with A in registers: d[64 x N] += a[64 x 16] b[16 x N] (or =, where it
// does not `Accumulate`), f16 in, f32 out. Only sm_90a has it; other targets compile the caller to
// nothing.

namespace bench::cuda {

// K-major operand in shared memory, rows of 128 bytes with the 128-byte swizzle: 16-byte chunk c of
// row r lies at c ^ (r & 7). `address` is 1024-byte aligned but for the step along k (32 bytes).
__device__ __forceinline__ std::uint64_t swizzled_operand(std::uint32_t address) {
  constexpr std::uint64_t kHigh = std::uint64_t{1} << 62 | std::uint64_t{1024 >> 4} << 32;
  return kHigh | ((address >> 4) + (1U << 16));  // a sum, and no mask: one instruction a step
}
// The operand `bytes` further, by one addition: what the address is made of must not overflow.
__device__ __forceinline__ std::uint64_t operand_ahead(std::uint64_t operand, std::uint32_t bytes) {
  return (operand >> 32) << 32 | (static_cast<std::uint32_t>(operand) + (bytes >> 4));
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
__device__ __forceinline__ void store_shared4(std::uint32_t address, std::uint32_t v) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
}
__device__ __forceinline__ uint4 load_shared16(std::uint32_t address) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address)
               : "memory");
  return v;
}
__device__ __forceinline__ float2 load_shared8(std::uint32_t address) {
  float2 v;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(address) : "memory");
  return v;
}
// Zeroes where it is not `there`.
__device__ __forceinline__ uint4 load_shared16(std::uint32_t address, bool there) {
  uint4 v;
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %5, 0; mov.b32 %0, 0; mov.b32 %1, 0; mov.b32 %2, 0;"
      "mov.b32 %3, 0; @p ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];}"
      : "=&r"(v.x), "=&r"(v.y), "=&r"(v.z), "=&r"(v.w)
      : "r"(address), "r"(there ? 1 : 0)
      : "memory");
  return v;
}
// A value that all lanes have, in a register that they share, made anew at every call.
__device__ __forceinline__ std::uint32_t uniform(std::uint32_t x) {
  std::uint32_t y = 0;
  asm volatile("redux.sync.or.b32 %0, %1, 0xffffffff;" : "=r"(y) : "r"(x));
  return y;
}
// The same value, but in a register of its own: not read from a special one at every use.
__device__ __forceinline__ int own(int x) {
  return __shfl_sync(~0u, x, static_cast<int>(threadIdx.x & 31));
}
// Keeps the compiler from moving accumulators while an mma that writes them may be on its way.
template <int N>
__device__ __forceinline__ void hold(float (&accumulators)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+f"(accumulators[i])::"memory");
}
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// Four 8x8 matrices of 16-bit values, each transposed, to rows that the lanes address in turn.
__device__ __forceinline__ void store_transposed(std::uint32_t address, std::uint32_t a,
                                                 std::uint32_t b, std::uint32_t c,
                                                 std::uint32_t d) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
      "r"(a), "r"(b), "r"(c), "r"(d)
      : "memory");
}
// A barrier of `threads` that tells all whether any of them said so.
__device__ __forceinline__ bool any_at_barrier(int id, int threads, bool mine) {
  int any = 0;
  asm volatile(
      "{.reg .pred p, q; setp.ne.b32 p, %1, 0; bar.red.or.pred q, %2, %3, p; selp.b32 %0, 1, 0, q;}"
      : "=r"(any)
      : "r"(mine ? 1 : 0), "r"(id), "r"(threads)
      : "memory");
  return any != 0;
}

template <int N>
struct Wgmma;

template <>
struct Wgmma<32> {
  template <bool Accumulate = true>
  static __device__ __forceinline__ void run(float (&d)[16], const std::uint32_t (&a)[4],
                                             std::uint64_t b) {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %21, 0; wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
        "{%16, %17, %18, %19}, %20, p, 1, 1, 0;}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(Accumulate ? 1 : 0));
  }
};

template <>
struct Wgmma<64> {
  template <bool Accumulate = true>
  static __device__ __forceinline__ void run(float (&d)[32], const std::uint32_t (&a)[4],
                                             std::uint64_t b) {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %37, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, p, 1, 1, 0;}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(Accumulate ? 1 : 0));
  }
};

#endif

}  // namespace bench::cuda
