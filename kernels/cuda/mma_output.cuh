#pragma once

#include "kernels/cuda/mma_config.cuh"
#include "kernels/cuda/mma_scores.cuh"

// The output warps of attention_mma.cuh: probabilities and latents to the output.

namespace bench::cuda {

// What an output warp accumulates: its latents x the query rows, and the sum of probabilities.
template <class C>
struct Accumulators {
  static constexpr int kTiles = C::kLatentsPerWarp / 16;
  float output[C::kRowBlocks][kTiles][4];
  float sum[C::kRowBlocks][4];   // [0], [1]: of rows 2t, 2t + 1
  float maximum[C::kRowBlocks];  // of row g

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
      maximum[n] = -1e30f;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        sum[n][i] = 0.0f;
#pragma unroll
        for (int m = 0; m < kTiles; ++m) output[n][m][i] = 0.0f;
      }
    }
  }

  // Raises the maximum of row block n, and rescales what is there.
  __device__ __forceinline__ void raise(int n, float to, int t) {
    to = fmaxf(to, maximum[n]);
    if (!__any_sync(~0u, to > maximum[n])) return;
    const float scale = exp2_approx(maximum[n] - to);
    const float low = __shfl_sync(~0u, scale, 8 * t);
    const float high = __shfl_sync(~0u, scale, 8 * t + 4);
    maximum[n] = to;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sum[n][i] *= (i & 1) != 0 ? high : low;
#pragma unroll
      for (int m = 0; m < kTiles; ++m) output[n][m][i] *= (i & 1) != 0 ? high : low;
    }
  }

  __device__ __forceinline__ RowTotals<C> totals(int t) const {
    RowTotals<C> totals;
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        totals.maximum[n][e] = __shfl_sync(~0u, maximum[n], 8 * t + 4 * e);
        totals.sum[n][e] = sum[n][e];
      }
    }
    return totals;
  }
  __device__ __forceinline__ float4 columns(int n, int q, int e) const {
    return {output[n][2 * q][e], output[n][2 * q][2 + e], output[n][2 * q + 1][e],
            output[n][2 * q + 1][2 + e]};
  }
};

// Output of one 16-key block: `value` is the lane's place in the rows of keys key_of_row(2t) and
// key_of_row(2t + 1), and 8 further.
template <class C>
__device__ __forceinline__ void output_block(const std::uint8_t* const (&value)[2],
                                             const Probabilities<C> (&p)[C::kRowBlocks],
                                             Accumulators<C>& sums) {
  using Element = typename C::Element;
  constexpr int kWords = C::R::kCodes ? C::kLatentsPerWarp / 32 : C::kLatentsPerWarp / 16;  // a key
  std::uint32_t words[4][kWords];
#pragma unroll
  for (int key = 0; key < 4; ++key) {
    const std::uint8_t* from = value[key & 1] + (key >> 1) * 8 * C::kPitch;
    if constexpr (kWords == 2) {
      const uint2 v = *reinterpret_cast<const uint2*>(from);
      words[key][0] = v.x;
      words[key][1] = v.y;
    } else {
      uint4 v[kWords / 4];
      if constexpr (C::kLines) {
        shared_load16_pair(from, 16, (threadIdx.x & 1) != 0, v[0], v[1]);
      } else {
#pragma unroll
        for (int i = 0; i < kWords / 4; ++i) v[i] = shared_load16(from + 128 * i);
      }
#pragma unroll
      for (int i = 0; i < kWords; ++i) words[key][i] = word(v[i / 4], i % 4);
    }
  }
  const auto multiply = [&](int m, std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                            std::uint32_t a3) {
#pragma unroll
    for (int h = 0; h < C::kHalves; ++h) {
#pragma unroll
      for (int n = 0; n < C::kRowBlocks; ++n) {
        Element::mma(sums.output[n][m], a0, a1, a2, a3, p[n].half[h].x, p[n].half[h].y);
      }
    }
  };
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    if constexpr (C::R::kCodes) {
      std::uint32_t a[2][4];
      e4m3_to_half(permute<0x5140>(words[0][i], words[1][i]), a[0][0], a[0][1]);
      e4m3_to_half(permute<0x5140>(words[2][i], words[3][i]), a[0][2], a[0][3]);
      e4m3_to_half(permute<0x7362>(words[0][i], words[1][i]), a[1][0], a[1][1]);
      e4m3_to_half(permute<0x7362>(words[2][i], words[3][i]), a[1][2], a[1][3]);
      multiply(2 * i, a[0][0], a[0][1], a[0][2], a[0][3]);
      multiply(2 * i + 1, a[1][0], a[1][1], a[1][2], a[1][3]);
    } else {
      multiply(i, permute<0x5410>(words[0][i], words[1][i]),
               permute<0x7632>(words[0][i], words[1][i]), permute<0x5410>(words[2][i], words[3][i]),
               permute<0x7632>(words[2][i], words[3][i]));
    }
  }
}

// The probabilities of a 16-key block, rescaled to the accumulators' maximum; adds them to the sum.
template <class C>
__device__ __forceinline__ uint2 rescaled(uint2 p, float factor, float (&sum)[4]) {
  using Element = typename C::Element;
  const std::uint32_t both = Element::pack(factor, factor);
  p = {Element::multiply(p.x, both), Element::multiply(p.y, both)};
  Element::mma(sum, Element::kOnes, Element::kOnes, Element::kOnes, Element::kOnes, p.x, p.y);
  return p;
}

// The 656-byte row: probabilities x the scale of each key's group of columns.
__device__ __forceinline__ std::uint32_t scaled_pair(std::uint32_t p, float low, float high) {
  const float2 v = Half2::unpack(p);
  return Half2::pack(v.x * low, v.y * high);
}

// Adds the other parts of a request of few, in their order, to this CTA's (the first).
template <class C>
__device__ __forceinline__ void merge_few(const AttentionParams& p, const Parts& parts, int block,
                                          int warp, std::uint32_t launch, Accumulators<C>& sums,
                                          RowTotals<C>& totals) {
  const int lane = threadIdx.x & 31;
  const int t = lane & 3;
#pragma unroll 1
  for (int group = parts.first_group + 1; group <= parts.last_group; ++group) {
    const int slot = part_slot(group, parts.first_group, p.row_blocks, block);
    uint4* values =
        p.parts + static_cast<std::int64_t>(slot) * (C::kRows * kLatent / 4) + 32 * warp + lane;
    const uint4* rows = p.stats + slot * C::kRows + 2 * t;
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
      uint4 v[2][C::kQuads];
      uint4 s[2];
      bool all = false;
      while (!all) {
        all = true;
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          s[e] = load_relaxed(rows + 8 * n + e);
#pragma unroll
          for (int q = 0; q < C::kQuads; ++q) {
            v[e][q] = load_relaxed(values + ((2 * n + e) * C::kQuads + q) * C::kOutputWarps * 32);
          }
        }
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          all = all && is_of(s[e], launch);
#pragma unroll
          for (int q = 0; q < C::kQuads; ++q) all = all && arrived(v[e][q]);
        }
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const float theirs = __uint_as_float(s[e].x);
        const float top = fmaxf(totals.maximum[n][e], theirs);
        const float mine = exp2_approx(totals.maximum[n][e] - top);
        const float scale = exp2_approx(theirs - top);
        totals.maximum[n][e] = top;
        totals.sum[n][e] = totals.sum[n][e] * mine + __uint_as_float(s[e].z) * scale;
#pragma unroll
        for (int q = 0; q < C::kQuads; ++q) {
          float(&low)[4] = sums.output[n][2 * q];
          float(&high)[4] = sums.output[n][2 * q + 1];
          low[e] = low[e] * mine + __uint_as_float(v[e][q].x) * scale;
          low[2 + e] = low[2 + e] * mine + __uint_as_float(v[e][q].y) * scale;
          high[e] = high[e] * mine + __uint_as_float(v[e][q].z) * scale;
          high[2 + e] = high[2 + e] * mine + __uint_as_float(v[e][q].w) * scale;
          store_relaxed(values + ((2 * n + e) * C::kQuads + q) * C::kOutputWarps * 32,
                        {kNothing, kNothing, kNothing, kNothing});
        }
      }
    }
  }
}

template <class C>
__device__ __forceinline__ void output_tiles(const AttentionParams& p, const MmaShared<C>& shared,
                                             const Share& share, int warp, int group, int block) {
  const int lane = threadIdx.x & 31;
  const int g = lane >> 2;
  const int t = lane & 3;
  const std::uint8_t* columns = shared.ring + C::column(0, warp, g) * (C::R::kCodes ? 1 : 2);
  RingPosition<C::kStages> at;
  RingPosition<C::kProbabilityTiles> in;
  Accumulators<C> sums;
  Segments segments(p, share);
  Segment segment;
  if (warp == 0 && lane == 0) {
    *shared.launch = launch_number(p.clock, blockIdx.x, share.groups * p.row_blocks);
  }
  named_barrier(1, 32 * C::kOutputWarps);
  bool many = false;
  while (segments.next(segment)) {
    sums.clear();
    const Parts parts = share.parts_of(segment);
    for (int token = segment.begin; token < segment.end; token += C::kTileTokens) {
      const int blocks = min(C::kTileBlocks, (segment.end - token + 15) >> 4);
      mbarrier_wait(shared.full + 8 * at.slot, at.parity);
      mbarrier_wait(shared.scored + 8 * in.slot, in.parity);
      float factor[C::kRowBlocks][C::kTileBlocks];
#pragma unroll
      for (int n = 0; n < C::kRowBlocks; ++n) {
        const float* maxima = shared.maxima + ((in.slot * C::kRowBlocks + n) * 8 + g) * 4;
        float top = -1e30f;
#pragma unroll
        for (int b = 0; b < C::kTileBlocks; ++b) top = fmaxf(top, factor[n][b] = maxima[b]);
        sums.raise(n, top, t);
#pragma unroll
        for (int b = 0; b < C::kTileBlocks; ++b)
          factor[n][b] = exp2_approx(factor[n][b] - sums.maximum[n]);
      }
      const std::uint8_t* tile = columns + at.slot * C::kTileTokens * C::kPitch;
#pragma unroll
      for (int b = 0; b < C::kTileBlocks; ++b) {
        if (b >= blocks) break;
        const std::uint8_t* const value[2] = {tile + (16 * b + key_of_row(2 * t)) * C::kPitch,
                                              tile + (16 * b + key_of_row(2 * t + 1)) * C::kPitch};
        Probabilities<C> probabilities[C::kRowBlocks];
#pragma unroll
        for (int n = 0; n < C::kRowBlocks; ++n) {
          const uint2* raw =
              shared.probabilities +
              ((in.slot * C::kRowBlocks + n) * C::kTileBlocks + b) * C::kHalves * 32 + lane;
#pragma unroll
          for (int h = 0; h < C::kHalves; ++h) {
            probabilities[n].half[h] = rescaled<C>(raw[32 * h], factor[n][b], sums.sum[n]);
          }
          if constexpr (C::kFormat == PoolFormat::ds_mla656) {
            const std::uint8_t* scales = shared.ring + at.slot * C::kTileTokens * C::kPitch +
                                         C::R::kScales + warp * C::kLatentsPerWarp / 128 * 4;
            const auto scale = [&](int key) {
              return *reinterpret_cast<const float*>(scales + (16 * b + key) * C::kPitch);
            };
            const int even = key_of_row(2 * t);
            const int odd = key_of_row(2 * t + 1);
            uint2& pair = probabilities[n].half[0];
            pair = {scaled_pair(pair.x, scale(even), scale(odd)),
                    scaled_pair(pair.y, scale(even + 8), scale(odd + 8))};
          }
        }
        output_block<C>(value, probabilities, sums);
      }
      __syncwarp();
      warp_arrive(shared.consumed + 8 * in.slot, lane);
      warp_arrive(shared.empty + 8 * at.slot, lane);
      at.advance();
      in.advance();
    }
    many = many || merges_slice<C>(p, share, parts);
    RowTotals<C> totals = sums.totals(t);
    const bool whole = parts.count() <= p.few_parts && group == parts.first_group;
    const std::uint32_t launch = *shared.launch;
    if (whole) merge_few<C>(p, parts, block, warp, launch, sums, totals);
    store_segment<C>(
        p, segment.request, part_slot(group, parts.first_group, p.row_blocks, block), whole, launch,
        totals, [&](int n, int q, int e) { return sums.columns(n, q, e); }, warp, block);
  }
  // The other warps merge the slices; this CTA's parts are on their way.
  if (many) named_barrier_arrive(4, C::kThreads);
}

}  // namespace bench::cuda
