#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

// The PTX that the kernels are made of, one instruction a function, named after it. What an
// architecture lacks has a spelled-out substitute here, so that no kernel asks for the
// architecture.

namespace bench::cuda {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// mbarrier (PTX ISA 9.7.13.15). A phase completes when `count` arrivals and all expected bytes are
// in.
__device__ __forceinline__ void mbarrier_init(std::uint32_t barrier, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ __forceinline__ void mbarrier_arrive(std::uint32_t barrier) {
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(barrier)
               : "memory");
}
// A warp arrives by its first lane, after __syncwarp(). compute-sanitizer's racecheck takes only
// what that lane did for ordered by it; a build with BENCH_RACECHECK has every lane arrive, to
// leave it the hazards that are none of this.
#ifdef BENCH_RACECHECK
inline constexpr int kArrivals = 32;  // of a warp
#else
inline constexpr int kArrivals = 1;
#endif
// As mbarrier_init, where whole warps arrive.
__device__ __forceinline__ void mbarrier_init_warps(std::uint32_t barrier, int warps) {
  mbarrier_init(barrier, warps * kArrivals);
}
// By all lanes of a warp, each with its number.
__device__ __forceinline__ void warp_arrive(std::uint32_t barrier, int lane) {
  if (lane < kArrivals) mbarrier_arrive(barrier);
}
__device__ __forceinline__ void mbarrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  while (done == 0) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
        "p;}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
#else
    asm volatile(
        "{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
#endif
  }
}
// Makes barrier initialisation visible to the copy engine.
__device__ __forceinline__ void fence_barrier_init() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// 16 bytes, global to shared, through L2 only.
__device__ __forceinline__ void cp_async16(std::uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Until at most N of this thread's committed groups are still on their way.
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void mbarrier_expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void bulk_copy(std::uint32_t to, const void* from, std::uint32_t bytes,
                                          std::uint32_t barrier, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1], %2, [%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
      : "memory");
}
#else
__device__ __forceinline__ void mbarrier_expect(std::uint32_t, std::uint32_t) { __trap(); }
__device__ __forceinline__ void bulk_copy(std::uint32_t, const void*, std::uint32_t, std::uint32_t,
                                          std::uint64_t) {
  __trap();
}
#endif

// Rows that nobody reads twice should not push out what is read again.
__device__ __forceinline__ std::uint64_t evict_first_policy() {
  std::uint64_t policy = 0;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ std::uint64_t evict_normal_policy() {
  std::uint64_t policy = 0;
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ void prefetch_l2(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}
__device__ __forceinline__ void prefetch_l1(const void* address) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(address));
}

// Programmatic dependent launch: a no-op unless the launch asked for it.
__device__ __forceinline__ void launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Registers move between warpgroups; more is only known to architecture-specific targets.
template <int Registers>
__device__ __forceinline__ void grow_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
}
template <int Registers>
__device__ __forceinline__ void shrink_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
}

__device__ __forceinline__ void named_barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Memory that other CTAs poll: past L1, each word whole, in no order.
__device__ __forceinline__ uint4 load_relaxed(const uint4* address) {
  uint4 v;
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address)
               : "memory");
  return v;
}
__device__ __forceinline__ void store_relaxed(uint4* address, uint4 v) {
  asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(v.x),
               "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

// A flag that other CTAs wait for: what this CTA wrote before (as far as a barrier has shown it to
// this thread) is seen by whoever sees the flag.
__device__ __forceinline__ void store_release(std::uint32_t* flag, std::uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* flag) {
  std::uint32_t value = 0;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ __forceinline__ float exp2_approx(float x) {
  float y = 0;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <std::uint32_t Selector>
__device__ __forceinline__ std::uint32_t permute(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, Selector);
}

// 8x8 matrix of 16-bit values: lane (g, t) holds row g, columns 2t and 2t+1; returns the transpose.
__device__ __forceinline__ std::uint32_t transpose8x8(std::uint32_t x) {
  std::uint32_t y = 0;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
  return y;
}

// Two 16-bit floats in a register, the first in the low half.
struct Half2 {
  static constexpr std::uint32_t kOnes = 0x3c003c00u;
  static __device__ __forceinline__ std::uint32_t pack(float low, float high) {
    std::uint32_t packed = 0;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
  }
  static __device__ __forceinline__ float2 unpack(std::uint32_t pair) {
    return __half22float2(*reinterpret_cast<const __half2*>(&pair));
  }
  static __device__ __forceinline__ std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
    std::uint32_t product = 0;
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(product) : "r"(a), "r"(b));
    return product;
  }
  // d += a (16 x 16, row) b (16 x 8, column)
  static __device__ __forceinline__ void mma(float (&d)[4], std::uint32_t a0, std::uint32_t a1,
                                             std::uint32_t a2, std::uint32_t a3, std::uint32_t b0,
                                             std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
};

struct Bfloat2 {
  static constexpr std::uint32_t kOnes = 0x3f803f80u;
  static __device__ __forceinline__ std::uint32_t pack(float low, float high) {
    std::uint32_t packed = 0;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
  }
  static __device__ __forceinline__ float2 unpack(std::uint32_t pair) {
    return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u)};
  }
  static __device__ __forceinline__ std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
    std::uint32_t product = 0;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(product) : "r"(a), "r"(b), "r"(0x80008000u));
    return product;
  }
  static __device__ __forceinline__ void mma(float (&d)[4], std::uint32_t a0, std::uint32_t a1,
                                             std::uint32_t a2, std::uint32_t a3, std::uint32_t b0,
                                             std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
};

// bf16 to f16: exact from 2^-14 to 65504, what lies beyond loses bits or overflows.
__device__ __forceinline__ std::uint32_t bfloat2_to_half2(std::uint32_t pair) {
  const float2 v = Bfloat2::unpack(pair);
  return Half2::pack(v.x, v.y);
}

// Four e4m3 codes to two registers of f16 pairs (bytes 0, 1 and bytes 2, 3), exact, as
// value / kE4m3Unit.
#if __CUDA_ARCH__ >= 890 || !defined(__CUDA_ARCH__)
inline constexpr float kE4m3Unit = 1.0f;
__device__ __forceinline__ void e4m3_to_half(std::uint32_t codes, std::uint32_t& low,
                                             std::uint32_t& high) {
  asm("{.reg .b16 l, h; mov.b32 {l, h}, %2; cvt.rn.f16x2.e4m3x2 %0, l; cvt.rn.f16x2.e4m3x2 %1, h;}"
      : "=r"(low), "=r"(high)
      : "r"(codes));
}
#else
// No conversion instruction: move the seven bits one place down in f16, whose bias is 8 larger.
inline constexpr float kE4m3Unit = 256.0f;
__device__ __forceinline__ std::uint32_t widen_e4m3(std::uint32_t codes_in_high_bytes) {
  return ((codes_in_high_bytes >> 1) & 0x3f803f80u) | (codes_in_high_bytes & 0x80008000u);
}
__device__ __forceinline__ void e4m3_to_half(std::uint32_t codes, std::uint32_t& low,
                                             std::uint32_t& high) {
  low = widen_e4m3(__byte_perm(codes, 0, 0x1404));
  high = widen_e4m3(__byte_perm(codes, 0, 0x3424));
}
#endif

}  // namespace bench::cuda
