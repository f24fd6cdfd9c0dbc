#pragma once

#include "kernels/cuda/wgmma_output.cuh"
#include "kernels/cuda/wgmma_scores.cuh"

// MLA decode over an e4m3 pool for 32 or 64 query rows a CTA on Hopper's warpgroup mma.
// Idea: keys (then latents) are the M of the mma and come from registers, converted on the way, so
// that the tile is never written back; the query rows are its N. One warpgroup scores all keys, 64
// at once, and makes probabilities of a block, slice by slice, under the mma of the next; two take
// them from a queue, each for half of the latents. Nothing else couples the three: whoever waits
// for operands leaves the tensor cores to the others. Probabilities are relative to a reference
// that moves only when one would pass 2^10. A token costs 576 bytes once and 2 x rows x 1088 flops.
// At 64 rows a block is 2176 clocks of the tensor cores and about as many of shared memory; the
// score warps take longer, as their loads, conversions, mma and exponents are one stream of
// instructions. Limits: sm_90a, 512 latent columns, rope 0 or 64.

namespace bench::cuda {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

template <class C>
__device__ __forceinline__ void init_barriers(const WgmmaShared<C>& shared) {
  for (int i = 0; i < C::kStages; ++i) {
    mbarrier_init_warps(shared.full + 8 * i, C::kTileLoaders);
    mbarrier_init_warps(shared.empty + 8 * i, C::kOutputWarps);
  }
  for (int i = 0; i < C::kQueue; ++i) {
    mbarrier_init_warps(shared.scored + 8 * i, C::kScoreWarps);
    mbarrier_init_warps(shared.consumed + 8 * i, C::kOutputWarps);
  }
  fence_barrier_init();
}

// By the score and output warps, so that the first scores are there soon.
template <class C>
__device__ __forceinline__ void stage_first_queries(const AttentionParams& p,
                                                    const WgmmaShared<C>& shared,
                                                    const Share& share, int block) {
  Segments segments(p, share);
  Segment segment;
  if (segments.next(segment)) {
    stage_queries<C, C::kScoreAndMathThreads>(p, shared.queries, segment.request, block,
                                              static_cast<int>(threadIdx.x) - 32 * C::kLoadWarps,
                                              [] {});
  }
  fence_async_proxy();
  named_barrier(C::kFirstBarrier, C::kScoreAndMathThreads);
}

#endif

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    attention_wgmma(const __grid_constant__ AttentionParams p) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) std::uint8_t memory[];
  const WgmmaShared<C> shared(memory);
  const int warp = __shfl_sync(~0u, threadIdx.x >> 5, 0);
  const int block = blockIdx.x % p.row_blocks;
  launch_dependents();
  if (p.old_rows_are_there == 0) wait_for_previous_kernel();
  if (warp < C::kLoadWarps) {
    shrink_registers<C::kLoadRegisters>();
    load_tiles<C>(p, shared, blockIdx.x / p.row_blocks, warp);
  } else if (warp < C::kLoadWarps + C::kScoreWarps) {
    grow_registers<C::kScoreRegisters>();
    const int thread = static_cast<int>(threadIdx.x) - 32 * C::kLoadWarps;
    if (thread == 0) init_barriers<C>(shared);
    named_barrier(3, C::kThreads);
    const Share& share = *shared.share;  // not worth registers
    if (share.begin >= share.end) return;
    prefetch_queries<C>(p, share.request, block, thread, C::kScoreThreads);
    wait_for_previous_kernel();
    stage_first_queries<C>(p, shared, share, block);
    WgmmaScores<C>(p, shared, warp - C::kLoadWarps, block).run(share);
  } else {
    grow_registers<C::kOutputRegisters>();
    named_barrier(3, C::kThreads);
    const Share& share = *shared.share;
    if (share.begin >= share.end) return;
    wait_for_previous_kernel();
    const int first = C::kLoadWarps + C::kScoreWarps;
    if (warp == first && (threadIdx.x & 31) == 0) {
      *shared.launch = launch_number(p.clock, blockIdx.x, share.groups * p.row_blocks);
    }
    stage_first_queries<C>(p, shared, share, block);
    WgmmaOutput<C>(p, shared, warp - first, block).run(share);
  }
#endif
}

template <class C>
AttentionKernel wgmma_kernel(const char* name) {
  static_assert(C::kSharedBytes <= 232'448, "more than Hopper has");
  return {.name = name,
          .format = C::kFormat,
          .rows = C::kRows,
          .few_parts = 1,
          .unit_log2 = 6,
          .request_cost = 4,
          .threads = C::kThreads,
          .shared_bytes = C::kSharedBytes,
          .least_capability = 90,
          .only_capability = 90,
          .function = reinterpret_cast<const void*>(attention_wgmma<C>)};
}

}  // namespace bench::cuda
