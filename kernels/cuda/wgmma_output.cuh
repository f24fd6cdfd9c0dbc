#pragma once

#include "kernels/cuda/wgmma_config.cuh"

// The output warpgroups of a many-heads kernel: from probabilities and latents to the output. See
// attention_wgmma.cuh.

namespace bench::cuda {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// The sum of a row's probabilities of `Keys` keys, a multiple of 8, from `first` on.
template <int Keys>
__device__ __forceinline__ float add_probabilities(std::uint32_t probabilities, int row,
                                                   int first) {
  float sum = 0.0f;
#pragma unroll
  for (int key = 0; key < Keys; key += 8) {
    const int chunk = ((first + key) >> 3) ^ (row & 7);
    const uint4 eight = load_shared16(probabilities + 128 * row + 16 * chunk);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = Half2::unpack(word(eight, i));
      sum += pair.x + pair.y;
    }
  }
  return sum;
}

template <class C>
class WgmmaOutput {
 public:
  __device__ __forceinline__ WgmmaOutput(const AttentionParams& p, const WgmmaShared<C>& shared,
                                         int warp, int block)
      : p_(p), shared_(shared), warp_(warp), block_(block), lane_(threadIdx.x & 31) {
    const std::uint8_t* columns =
        shared.ring + C::kLatentsPerWarp * warp + 4 * C::kQuads * (lane_ >> 2);
    even_ = columns + key_of_row(2 * (lane_ & 3)) * C::kPitch;
    odd_ = columns + key_of_row(2 * (lane_ & 3) + 1) * C::kPitch;
  }

  __device__ __forceinline__ void run(const Share& share) {
    clear();
    bool ready = false;  // the first operands
#pragma unroll 1
    for (;;) {
      mbarrier_wait(shared_.scored + 8 * from_.slot, from_.parity);
      const int news = shared_.news[from_.slot];
      if (news != 0) {
        if ((news & kDone) != 0) break;
        if ((news & kRaised) != 0) scale();
      }
      if (!ready) {
        open();
        fetch(0, true);
      }
      ready = (news & kLast) == 0;
      multiply(ready);
      if (!ready) {
        store(share, shared_.segment[from_.slot]);
        clear();
      }
      __syncwarp();
      warp_arrive(shared_.consumed + 8 * from_.slot, lane_);
      from_.advance();
    }
    merge_flagged<C>(p_, share, block_, thread(), *shared_.launch);
  }

 private:
  static constexpr int kSteps = C::kTileTokens / 16;  // of a tile
  static_assert(kSteps == 2);
  static constexpr int kGroups = kSteps * C::kTiles;  // of mma, one each
  // Probabilities are added by all, each for some keys of a row.
  static constexpr int kSumThreads = C::kMathThreads / C::kRows;
  static constexpr int kSumKeys = C::kBlockTokens / kSumThreads;

  __device__ __forceinline__ int thread() const { return 32 * warp_ + lane_; }
  __device__ __forceinline__ int summed_row() const { return thread() / kSumThreads; }

  __device__ __forceinline__ void clear() {
    sum_ = 0.0f;
#pragma unroll
    for (int m = 0; m < C::kTiles; ++m) {
#pragma unroll
      for (int i = 0; i < C::kRows / 2; ++i) output_[m][i] = 0.0f;
    }
  }

  // Adds a block's part of the output, an mma of 16 keys by 16 of each warp's latents after the
  // other; the next one's operands are converted under this one, of the next block, too, if there
  // is `another`.
  __device__ __forceinline__ void multiply(bool another) {
    const std::uint32_t probabilities = shared_.probabilities + from_.slot * C::kProbabilityBytes;
    const std::uint64_t operand = swizzled_operand(probabilities);
#pragma unroll
    for (int m = 0; m < C::kTiles; ++m) hold(output_[m]);
#pragma unroll
    for (int tile = 0; tile < C::kBlockTiles; ++tile) {
      const std::uint64_t tile_operand = operand_ahead(operand, 32 * kSteps * tile);
      const bool more = tile + 1 < C::kBlockTiles || another;
#pragma unroll
      for (int k = 0; k < kGroups; ++k) {
        wgmma_fence();
        Wgmma<C::kRows>::run(output_[k % C::kTiles], a_[k % 2],
                             operand_ahead(tile_operand, 32 * (k / C::kTiles)));
        wgmma_commit();
        wgmma_wait<1>();
        if (k + 1 < kGroups || more) fetch((k + 1) % kGroups, more);
      }
    }
    sum_ +=
        add_probabilities<kSumKeys>(probabilities, summed_row(), lane_ % kSumThreads * kSumKeys);
    wgmma_wait<0>();
#pragma unroll
    for (int m = 0; m < C::kTiles; ++m) hold(output_[m]);
  }

  __device__ __forceinline__ void open() {
    mbarrier_wait(shared_.full + 8 * at_.slot, at_.parity);
    load(0);
  }
  // Operands of mma k of a tile: 16 keys by turns of kTiles. The next 16 keys are loaded ahead, of
  // the next tile, too, if there is one.
  __device__ __forceinline__ void fetch(int k, bool more) {
    const int step = k / C::kTiles;
    if (k % C::kTiles == 0) {
      if (step + 1 < kSteps) {
        load(step + 1);
      } else {
        give_back();  // all of the tile is loaded
        if (more) open();
      }
    }
    const int q = k % C::kTiles / 2;
    const auto& w = w_[step % 2];
    std::uint32_t(&a)[4] = a_[k % 2];
    if (k % 2 == 0) {
      e4m3_to_half(permute<0x5140>(w[0][q], w[1][q]), a[0], a[1]);
      e4m3_to_half(permute<0x5140>(w[2][q], w[3][q]), a[2], a[3]);
    } else {
      e4m3_to_half(permute<0x7362>(w[0][q], w[1][q]), a[0], a[1]);
      e4m3_to_half(permute<0x7362>(w[2][q], w[3][q]), a[2], a[3]);
    }
  }
  // The lane's columns of the keys of 16-key block i.
  __device__ __forceinline__ void load(int i) {
    const int row = (at_.slot * C::kTileTokens + 16 * (i & 1)) * C::kPitch;
#pragma unroll
    for (int key = 0; key < 4; ++key) {
      const std::uint8_t* from = ((key & 1) != 0 ? odd_ : even_) + row + (key >> 1) * 8 * C::kPitch;
      const uint2 v = *reinterpret_cast<const uint2*>(from);
      w_[i % 2][key][0] = v.x;
      w_[i % 2][key][1] = v.y;
    }
  }
  __device__ __forceinline__ void scale() {
    sum_ *= shared_.factors[from_.slot * C::kRows + summed_row()];
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
      const float2 f = *reinterpret_cast<const float2*>(shared_.factors + from_.slot * C::kRows +
                                                        8 * n + 2 * (lane_ & 3));
#pragma unroll
      for (int m = 0; m < C::kTiles; ++m) {
        output_[m][4 * n] *= f.x;
        output_[m][4 * n + 1] *= f.y;
        output_[m][4 * n + 2] *= f.x;
        output_[m][4 * n + 3] *= f.y;
      }
    }
  }
  __device__ __forceinline__ void give_back() {
    __syncwarp();
    warp_arrive(shared_.empty + 8 * at_.slot, lane_);
    at_.advance();
  }

  __device__ __forceinline__ void store(const Share& share, const Segment& segment) {
#pragma unroll
    for (int d = 1; d < kSumThreads; d <<= 1) sum_ += __shfl_xor_sync(~0u, sum_, d);
    if (lane_ % kSumThreads == 0) shared_.sums[from_.slot * C::kRows + summed_row()] = sum_;
    named_barrier(C::kMathBarrier, C::kMathThreads);
    const Parts parts = share.parts_of(segment);
    const int slot = part_slot(share.group, parts.first_group, p_.row_blocks, block_);
    const std::uint32_t launch = *shared_.launch;
    int lane = lane_;
    asm volatile("" : "+r"(lane));  // what follows from it is not worth registers until then
    const int t = lane & 3;
    const auto totals = [&](int n, int e) {
      const int row = from_.slot * C::kRows + 8 * n + 2 * t + e;
      return float2{shared_.maximum[row], shared_.sums[row]};
    };
    const auto columns = [&](int n, int q, int e) {
      return float4{output_[2 * q][4 * n + e], output_[2 * q][4 * n + 2 + e],
                    output_[2 * q + 1][4 * n + e], output_[2 * q + 1][4 * n + 2 + e]};
    };
    if (parts.count() == 1) {
      store_whole<C>(p_, segment.request, totals, columns, warp_, lane, block_);
    } else {
      publish_part<C>(p_, slot, launch, totals, columns, warp_, lane);
    }
  }

  const AttentionParams& p_;
  const WgmmaShared<C>& shared_;
  int warp_, block_, lane_;
  RingPosition<C::kStages> at_;       // of the tile to read next
  RingPosition<C::kQueue> from_;      // of the block to take next
  const std::uint8_t *even_, *odd_;   // the lane's columns of its keys in the ring's first slot
  std::uint32_t w_[2][4][C::kQuads];  // codes of four keys, and of the next
  std::uint32_t a_[2][4];             // operands: being multiplied, and the next
  float sum_ = 0.0f;                  // of summed_row(), this thread's keys alone
  float output_[C::kTiles][C::kRows / 2];  // [latents 8g + 2m, + 1][row]
};

#endif

}  // namespace bench::cuda
