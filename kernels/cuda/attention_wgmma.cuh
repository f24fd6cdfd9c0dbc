#pragma once

#include "kernels/cuda/wgmma_scores.cuh"

// MLA decode over an e4m3 pool for 32 or 64 query rows a CTA on Hopper's warpgroup mma.
// Idea: keys (then latents) are the M of the mma and come from registers, converted on the way, so
// that the tile is never written back; the query rows are its N. Two warpgroups take turns: each
// scores every second block of 64 keys, and multiplies all blocks, for its half of the latents. A
// group turns its scores into probabilities under its own mma of the block before, so that the
// tensor cores need not wait for them. Probabilities are relative to a reference that moves only
// when one would pass 2^10. A token costs 576 bytes once and 2 x rows x 1088 flops. At 64 rows the
// operands alone take as many clocks of shared memory as the mma of the tensor cores (2178 and 2176
// for 64 keys), and conversion three quarters of the integer unit's. Limits: sm_90a, 512 latent
// columns, rope 0 or 64.

namespace bench::cuda {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// One of the warpgroups.
template <class C>
class WgmmaGroup {
 public:
  __device__ __forceinline__ WgmmaGroup(const AttentionParams& p, const WgmmaShared<C>& shared,
                                        int warp, int block)
      : p_(p), shared_(shared), warp_(warp), block_(block), lane_(threadIdx.x & 31) {
    const std::uint8_t* columns =
        shared.ring + C::kLatentsPerWarp * warp + 4 * C::kQuads * (lane_ >> 2);
    even_ = columns + key_of_row(2 * (lane_ & 3)) * C::kPitch;
    odd_ = columns + key_of_row(2 * (lane_ & 3) + 1) * C::kPitch;
  }

  __device__ __forceinline__ void run(const Share& share) {
    Segments segments(p_, share);
    Segment segment;
    while (segments.next(segment)) {
      begin(segment);
      const int blocks = (segment.end - segment.begin + C::kBlockTokens - 1) / C::kBlockTokens;
      int next = 0;
      for (int b = group(); next < blocks; b += C::kGroups) {
        if (b < blocks) {
          float scores[C::kRows / 2];
          score(b, scores);
          if (next < b) {
            multiply<true>(next++, scores);
          } else {
            send(scores);
          }
        }
        for (; next < min(b + 1, blocks); ++next) multiply<false>(next, {});
      }
      for (int g = 0; g < C::kGroups; ++g)
        sent_ ^= static_cast<std::uint32_t>((blocks + C::kGroups - 1 - g) / C::kGroups & 1) << g;
      tiles_ += blocks * (C::kBlockTokens / C::kTileTokens);
      store(share, *shared_.segment, add_totals());
    }
    merge_flagged<C>(p_, share, block_, math_thread(), *shared_.launch);
  }

 private:
  static constexpr float kHeadroom = 10.0f;
  // Probabilities are added by groups as well, each for some of the rows.
  static constexpr int kSumThreads = C::kMathThreads / C::kRows;  // of a row
  static constexpr int kSumKeys = C::kBlockTokens / kSumThreads;

  __device__ __forceinline__ int group() const { return warp_ >> 2; }
  __device__ __forceinline__ int thread() const {
    return 32 * (warp_ & 3) + lane_;
  }  // of the group
  __device__ __forceinline__ int math_thread() const { return 32 * warp_ + lane_; }
  __device__ __forceinline__ int summed_row() const { return math_thread() / kSumThreads; }

  __device__ __forceinline__ void begin(const Segment& segment) {
    const int thread = math_thread();
    // All are done with the queries and references of the segment before.
    stage_queries<C>(p_, shared_.queries, segment.request, block_, thread,
                     [&] { named_barrier(C::kMathBarrier, C::kMathThreads); });
    if (thread == 0) *shared_.segment = segment;
    if (thread < C::kRows) {
      shared_.reference[thread] = 0.0f;
      shared_.highest[thread] = ordered_bits(-INFINITY);
    }
    fence_async_proxy();
    named_barrier(C::kMathBarrier, C::kMathThreads);
    sum_ = 0.0f;
#pragma unroll
    for (int m = 0; m < C::kTiles; ++m) {
#pragma unroll
      for (int i = 0; i < C::kRows / 2; ++i) output_[m][i] = 0.0f;
    }
  }

  // Tile `i` of the segment in the ring.
  __device__ __forceinline__ RingPosition<C::kStages> tile(int i) const {
    const int at = tiles_ + i;
    return {at % C::kStages, static_cast<std::uint32_t>(at / C::kStages) & 1};
  }

  // Parity of the phase in which the group of block b sends it.
  __device__ __forceinline__ std::uint32_t phase(int b) const {
    return (sent_ >> (b % C::kGroups) ^ static_cast<std::uint32_t>(b / C::kGroups)) & 1;
  }
  __device__ __forceinline__ std::uint32_t probabilities(int group) const {
    return shared_.probabilities + group * C::kProbabilityBytes;
  }

  // Scores of block b of the segment, of this group, relative to the references.
  __device__ __forceinline__ void score(int b, float (&scores)[C::kRows / 2]) {
    const Segment& segment = *shared_.segment;  // not worth registers
    const int token = segment.begin + C::kBlockTokens * b;
    const int first = token + 16 * (warp_ & 3);
    const RingPosition<C::kStages> at = tile(2 * b + (warp_ >> 1 & 1));
    mbarrier_wait(shared_.full + 8 * at.slot, at.parity);
    score_keys<C>(
        shared_.ring +
            (at.slot * C::kTileTokens + 16 * (warp_ & 1) + key_of_row(lane_ >> 2)) * C::kPitch,
        shared_.queries, p_.rope != 0, lane_ & 3, scores);
    // The block before this one has moved the references as far as it does.
    if (b > 0) mbarrier_wait(shared_.related + 8 * ((b - 1) % C::kGroups), phase(b - 1));
    if (first + 16 > min(segment.end, segment.context - p_.query_tokens + 1))
      mask(segment, first, scores);
    const bool over = relate(scores) || b == 0;
    mbarrier_wait(shared_.consumed + 8 * group(), phase(b) ^ 1);
    const bool moved = any_at_barrier(C::kGroupBarrier + group(), C::kGroupThreads, over);
    if (moved) raise_references<C>(shared_, scores, b == 0, group(), thread());
    if (thread() == 0) shared_.moved[group()] = moved ? 1 : 0;
    __syncwarp();
    if (lane_ == 0) mbarrier_arrive(shared_.related + 8 * group());
  }

  // This group's probabilities to all groups.
  __device__ __forceinline__ void send(const float (&scores)[C::kRows / 2]) {
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; n += 2)
      store_probabilities<C>(probabilities(group()), scores, n, warp_ & 3);
    sent();
  }
  __device__ __forceinline__ void sent() {
    fence_async_proxy();
    __syncwarp();
    if (lane_ == 0) mbarrier_arrive(shared_.scored + 8 * group());
  }

  __device__ __forceinline__ void mask(const Segment& segment, int first,
                                       float (&scores)[C::kRows / 2]) const {
#pragma unroll
    for (int i = 0; i < C::kRows / 2; ++i) {
      const int query = min(block_ * C::kRows + (i >> 2) * 8 + 2 * (lane_ & 3) + (i & 1),
                            p_.heads * p_.query_tokens - 1);
      const int visible = segment.context - p_.query_tokens + 1 + query / p_.heads;
      const int key = first + key_of_row(lane_ >> 2) + 8 * (i >> 1 & 1);
      if (key >= min(segment.end, visible)) scores[i] = -INFINITY;
    }
  }

  // Scores in log2 units, relative to the references; whether one is too far above.
  __device__ __forceinline__ bool relate(float (&scores)[C::kRows / 2]) const {
    float top = -INFINITY;
#pragma unroll
    for (int i = 0; i < C::kRows / 2; i += 4) {
      const float2 reference =
          *reinterpret_cast<const float2*>(shared_.reference + 2 * i + 2 * (lane_ & 3));
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        scores[i + k] =
            fmaf(scores[i + k], p_.score_scale, (k & 1) != 0 ? -reference.y : -reference.x);
        top = fmaxf(top, scores[i + k]);
      }
    }
    return top > kHeadroom;
  }

  // Adds block b's part of the output; where it `Sends`, makes probabilities of this group's scores
  // under the mma.
  template <bool Sends>
  __device__ __forceinline__ void multiply(int b, const float (&scores)[C::kRows / 2]) {
    const int from = b % C::kGroups;  // the group that scored it
    RingPosition<C::kStages> at = tile(2 * b);
    mbarrier_wait(shared_.full + 8 * at.slot, at.parity);
    // In groups of mma, as many as registers allow, of 16 keys by 32 or all of the warp's latents;
    // the next one's operands are converted under this one.
    constexpr int kQuads = Sends ? 1 : C::kQuads;
    constexpr int kSteps = C::kBlockTokens / 16 * C::kQuads / kQuads;
    std::uint32_t a[C::kBuffers][2 * kQuads][4];
    std::uint32_t w[4][C::kQuads];
    const auto fetch = [&](int k) {
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        convert(w, (k * kQuads + q) % C::kQuads, a[k % C::kBuffers][2 * q],
                a[k % C::kBuffers][2 * q + 1]);
      }
      const int done = (k + 1) * kQuads;
      if (done % (2 * C::kQuads) == 0) {
        give_back(at);
        if (k + 1 < kSteps) mbarrier_wait(shared_.full + 8 * at.slot, at.parity);
      }
      if (done % C::kQuads == 0 && k + 1 < kSteps) load(at.slot, done / C::kQuads, w);
    };
    const std::uint64_t first_operand = swizzled_operand(probabilities(from));
    load(at.slot, 0, w);
    const auto send_some = [&](int k) {
      if (2 * k < C::kRowBlocks)
        store_probabilities<C>(probabilities(group()), scores, 2 * k, warp_ & 3);
      if (2 * k == C::kRowBlocks) sent();
    };
    if constexpr (Sends) send_some(0);
    mbarrier_wait(shared_.scored + 8 * from, phase(b));
    if (shared_.moved[from] != 0) {
      scale_output(from);
      sum_ *= shared_.factors[from * C::kRows + summed_row()];
    }
    fetch(0);
#pragma unroll
    for (int m = 0; m < C::kTiles; ++m) hold(output_[m]);
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
      wgmma_wait<C::kBuffers - 2>();
      wgmma_fence();
#pragma unroll
      for (int m = 0; m < 2 * kQuads; ++m) {
        const int tile = (2 * k * kQuads + m) % C::kTiles;
        Wgmma<C::kRows>::run(output_[tile], a[k % C::kBuffers][m],
                             operand_ahead(first_operand, 32 * (k * kQuads / C::kQuads)));
      }
      wgmma_commit();
      if (k + 1 < kSteps) fetch(k + 1);
      if constexpr (Sends) send_some(k + 1);
    }
    // Under the last mma.
    sum_ += add_probabilities<kSumKeys>(probabilities(from), summed_row(),
                                        lane_ % kSumThreads * kSumKeys);
    wgmma_wait<0>();
#pragma unroll
    for (int m = 0; m < C::kTiles; ++m) hold(output_[m]);
    __syncwarp();
    if (lane_ == 0) mbarrier_arrive(shared_.consumed + 8 * from);
  }

  // The lane's columns of the keys of the block's 16-key block i, in a tile's slot.
  __device__ __forceinline__ void load(int slot, int i, std::uint32_t (&w)[4][C::kQuads]) const {
    const int row = (slot * C::kTileTokens + 16 * (i & 1)) * C::kPitch;
#pragma unroll
    for (int key = 0; key < 4; ++key) {
      const std::uint8_t* from = ((key & 1) != 0 ? odd_ : even_) + row + (key >> 1) * 8 * C::kPitch;
      const uint2 v = *reinterpret_cast<const uint2*>(from);
      w[key][0] = v.x;
      w[key][1] = v.y;
    }
  }
  // Operands of the lane's quad q of columns, two m-tiles.
  static __device__ __forceinline__ void convert(const std::uint32_t (&w)[4][C::kQuads], int q,
                                                 std::uint32_t (&even)[4],
                                                 std::uint32_t (&odd)[4]) {
    e4m3_to_half(permute<0x5140>(w[0][q], w[1][q]), even[0], even[1]);
    e4m3_to_half(permute<0x5140>(w[2][q], w[3][q]), even[2], even[3]);
    e4m3_to_half(permute<0x7362>(w[0][q], w[1][q]), odd[0], odd[1]);
    e4m3_to_half(permute<0x7362>(w[2][q], w[3][q]), odd[2], odd[3]);
  }
  __device__ __forceinline__ void scale_output(int group) {
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
      const float2 f = *reinterpret_cast<const float2*>(shared_.factors + group * C::kRows + 8 * n +
                                                        2 * (lane_ & 3));
#pragma unroll
      for (int m = 0; m < C::kTiles; ++m) {
        output_[m][4 * n] *= f.x;
        output_[m][4 * n + 1] *= f.y;
        output_[m][4 * n + 2] *= f.x;
        output_[m][4 * n + 3] *= f.y;
      }
    }
  }
  __device__ __forceinline__ void give_back(RingPosition<C::kStages>& at) {
    __syncwarp();
    if (lane_ == 0) mbarrier_arrive(shared_.empty + 8 * at.slot);
    at.advance();
  }

  // Sums of all keys of the segment, and the maxima that they are relative to.
  __device__ __forceinline__ RowTotals<C> add_totals() {
    const int t = lane_ & 3;
#pragma unroll
    for (int d = 1; d < kSumThreads; d <<= 1) sum_ += __shfl_xor_sync(~0u, sum_, d);
    if (lane_ % kSumThreads == 0) shared_.sums[summed_row()] = sum_;
    named_barrier(C::kMathBarrier, C::kMathThreads);
    RowTotals<C> totals;
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        totals.sum[n][e] = shared_.sums[8 * n + 2 * t + e];
        totals.maximum[n][e] = shared_.reference[8 * n + 2 * t + e];
      }
    }
    return totals;
  }

  __device__ __forceinline__ void store(const Share& share, const Segment& segment,
                                        const RowTotals<C>& totals) const {
    const Parts parts = share.parts_of(segment);
    const int slot = part_slot(share.group, parts.first_group, p_.row_blocks, block_);
    const std::uint32_t launch = *shared_.launch;
    const auto columns = [&](int n, int q, int e) {
      return float4{output_[2 * q][4 * n + e], output_[2 * q][4 * n + 2 + e],
                    output_[2 * q + 1][4 * n + e], output_[2 * q + 1][4 * n + 2 + e]};
    };
    if (parts.count() == 1) {
      store_segment<C>(p_, segment.request, slot, true, launch, totals, columns, warp_, block_);
    } else {
      publish_part<C>(p_, slot, launch, totals, columns, warp_);
    }
  }

  const AttentionParams& p_;
  const WgmmaShared<C>& shared_;
  int warp_, block_, lane_;
  const std::uint8_t *even_, *odd_;  // the lane's columns of its keys in the ring's first slot
  int tiles_ = 0;                    // of the segments before
  std::uint32_t sent_ = 0;           // parity of the blocks of the segments before, a bit a group
  float sum_ = 0.0f;                 // of summed_row(), this thread's keys alone
  float output_[C::kTiles][C::kRows / 2];  // [latents 8g + 2m, + 1][row]
};

template <class C>
__device__ __forceinline__ void init_barriers(const WgmmaShared<C>& shared) {
  for (int i = 0; i < C::kStages; ++i) {
    mbarrier_init(shared.full + 8 * i, C::kTileLoaders);
    mbarrier_init(shared.empty + 8 * i, C::kOutputWarps);
  }
  for (int i = 0; i < C::kGroups; ++i) {
    mbarrier_init(shared.related + 8 * i, 4);
    mbarrier_init(shared.scored + 8 * i, 4);
    mbarrier_init(shared.consumed + 8 * i, C::kOutputWarps);
  }
  fence_barrier_init();
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
  } else {
    grow_registers<C::kMathRegisters>();
    const int thread = static_cast<int>(threadIdx.x) - 32 * C::kLoadWarps;
    if (thread == 0) init_barriers<C>(shared);
    named_barrier(3, C::kThreads);
    const Share& share = *shared.share;  // not worth registers
    if (share.begin >= share.end) return;
    prefetch_queries<C>(p, share.request, block, thread, C::kMathThreads);
    wait_for_previous_kernel();
    if (thread == 0) {
      *shared.launch = launch_number(p.clock, blockIdx.x, share.groups * p.row_blocks);
    }
    WgmmaGroup<C>(p, shared, warp - C::kLoadWarps, block).run(share);
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
