#pragma once

#include "kernels/cuda/mma_output.cuh"
#include "kernels/cuda/mma_scores.cuh"

// MLA decode for up to 16 query rows a CTA on mma.sync, any pool format, any page size.
// Idea: the few query rows are the N of the mma and the keys (then the latents) its M, so that no
// tile is padded to 64 rows. Rows go from the pool straight into a ring in shared memory, as they
// lie; codes become f16 in registers on the way to the tensor cores. Load warps fill the ring,
// score warps turn it into probabilities relative to their own block's maximum, and output warps
// rescale and multiply; the three never meet at one barrier.
// A token costs its row's bytes once and 2 x rows x 1088 flops. Limits: 512 latent columns, rope 0
// or 64.

namespace bench::cuda {

template <class C>
__device__ __forceinline__ void init_barriers(const MmaShared<C>& shared) {
  for (int i = 0; i < C::kStages; ++i) {
    mbarrier_init_warps(shared.full + 8 * i, C::kTileLoaders);
    mbarrier_init_warps(shared.empty + 8 * i, C::kWarpsPerTile + C::kOutputWarps);
  }
  for (int i = 0; i < C::kProbabilityTiles; ++i) {
    mbarrier_init_warps(shared.scored + 8 * i, C::kWarpsPerTile);
    mbarrier_init_warps(shared.consumed + 8 * i, C::kOutputWarps);
  }
  fence_barrier_init();
}

// Whether the target has what C asks for; a kernel of which it has not is left empty.
template <class C>
__host__ __device__ constexpr bool has_what_it_takes() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  return !C::kBulk;
#else
  return true;
#endif
}

template <class C>
__device__ __forceinline__ void attend(const AttentionParams& p) {
  extern __shared__ __align__(128) std::uint8_t memory[];
  const MmaShared<C> shared(memory);
  const int warp = __shfl_sync(~0u, threadIdx.x >> 5, 0);
  const int group = blockIdx.x / p.row_blocks;
  const int block = blockIdx.x % p.row_blocks;
  launch_dependents();
  if (p.old_rows_are_there == 0) wait_for_previous_kernel();
  Share share;
  if (warp < C::kLoadWarps) {
    share = load_tiles<C>(p, shared, group, warp);
  } else {
    if (warp == C::kLoadWarps && (threadIdx.x & 31) == 0) init_barriers<C>(shared);
    named_barrier(3, C::kThreads);
    share = *shared.share;
    if (share.begin >= share.end) return;
    if (warp >= C::kLoadWarps + C::kScoreWarps) {
      wait_for_previous_kernel();
      output_tiles<C>(p, shared, share, warp - C::kLoadWarps - C::kScoreWarps, group, block);
      return;
    }
    score_tiles<C>(p, shared, share, warp - C::kLoadWarps, block);
  }
  bool ready = false;
  merge_slices<C>(p, share, block, threadIdx.x, shared.ring, [&] {
    if (!ready) named_barrier(4, C::kThreads);
    ready = true;
    return *shared.launch;
  });
}

// The portable kernel of 8 rows keeps to half a multiprocessor's registers, which it has room for:
// so a card with few multiprocessors can hold the CTAs of one with many (tests).
template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBulk || C::kRows > 8 ? 1 : 2)
    attention_mma(const __grid_constant__ AttentionParams p) {
  if constexpr (has_what_it_takes<C>()) attend<C>(p);
}

template <class C>
AttentionKernel mma_kernel(const char* name, int least_tokens = 0) {
  static_assert(C::kSharedBytes <= (C::kBulk ? 232'448 : 101'376), "more than such devices have");
  return {.name = name,
          .format = C::kFormat,
          .rows = C::kRows,
          .few_parts = 8,
          .unit_log2 = 4,
          .request_cost = 2,
          .threads = C::kThreads,
          .shared_bytes = C::kSharedBytes,
          .least_capability = C::kBulk ? 90 : 80,
          .only_capability = 0,
          .least_tokens = least_tokens,
          .function = reinterpret_cast<const void*>(attention_mma<C>)};
}

}  // namespace bench::cuda
