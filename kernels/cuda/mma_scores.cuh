#pragma once

#include "kernels/cuda/mma_config.cuh"
#include "kernels/cuda/query_rows.cuh"

// The score warps of attention_mma.cuh: queries and keys to probabilities.

namespace bench::cuda {

// The queries of a request as operands of a step.
template <class C>
struct QueryOperand {
  uint2 of[C::kRowBlocks];
};
template <class C>
struct QueryShared {
  const uint2* value;
  __device__ __forceinline__ QueryOperand<C> operator()(int step) const {
    const uint2* at = value + step * C::kRowBlocks * 32;
    if constexpr (C::kRowBlocks == 2) {
      const uint4 both = *reinterpret_cast<const uint4*>(at);
      return {{{both.x, both.y}, {both.z, both.w}}};
    } else {
      return {{*at}};
    }
  }
};

// Brings the queries of one request after another into shared memory, as operands: fetched into
// registers while the request before is worked on, by all score warps together.
template <class C>
class QueryStager {
 public:
  __device__ __forceinline__ QueryStager(const AttentionParams& p, int block, int warp)
      : thread_(32 * warp + static_cast<int>(threadIdx.x & 31)) {
    const int rows = p.heads * p.query_tokens;
    const int per_row = (kLatent + p.rope) / 8;
    per_request_ = rows * per_row;
    there_ = min(C::kRows, rows - block * C::kRows) * per_row;
    from_ = reinterpret_cast<const uint4*>(p.queries) + block * C::kRows * per_row + thread_;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int at = thread_ + i * kThreads;
      const int row = p.rope != 0 ? at / ((kLatent + 64) / 8) : at / (kLatent / 8);
      const int column8 = at - row * per_row;
      const QueryPlace place = query_place<C::kFormat, C::kPitch>(column8);
      to_[i] =
          row < C::kRows ? (place.step * 32 + row % 8 * 4 + place.t) * C::kRowBlocks + row / 8 : -1;
      if (column8 >= 64) rope_ |= 1u << i;
    }
  }

  __device__ __forceinline__ void fetch(int request) {
    const uint4* from = from_ + static_cast<std::int64_t>(request) * per_request_;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      value_[i] = thread_ + i * kThreads < there_ ? __ldg(from + i * kThreads) : uint4{0, 0, 0, 0};
    }
  }

  __device__ __forceinline__ void store(uint2* queries) const {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if (to_[i] < 0) continue;
      const bool rope = (rope_ >> i & 1) != 0;
      queries[to_[i]] = query_operand<C::kFormat>(rope, value_[i].x, value_[i].y);
      queries[to_[i] + C::kRowBlocks * 32] =
          query_operand<C::kFormat>(rope, value_[i].z, value_[i].w);
    }
  }

 private:
  static constexpr int kThreads = 32 * C::kScoreWarps;
  static constexpr int kLoads = (C::kRows * (kLatent + 64) / 8 + kThreads - 1) / kThreads;
  int thread_;
  int there_, per_request_;  // chunks of 8 columns: of this CTA's rows, of a request
  const uint4* from_;
  int to_[kLoads];
  std::uint32_t rope_ = 0;
  uint4 value_[kLoads];
};

// scores[m][n] += keys x queries for the score warp's 16-key blocks; `row` is the lane's place in
// the first.
template <class C>
__device__ __forceinline__ void score_blocks(const std::uint8_t* row, const QueryShared<C>& query,
                                             bool rope, int t,
                                             float (&scores)[C::kScoreBlocks][C::kRowBlocks][4]) {
  using R = typename C::R;
  constexpr int kLoads = kLatentSteps / R::kStepsPerLoad;
  float odd[C::kScoreBlocks][C::kRowBlocks][4] = {};
  const auto multiply = [&](auto element, int m, int step, const QueryOperand<C>& q,
                            std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                            std::uint32_t a3) {
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
      decltype(element)::mma((step & 1) != 0 ? odd[m][n] : scores[m][n], a0, a1, a2, a3, q.of[n].x,
                             q.of[n].y);
    }
  };
  using Keys = uint4[C::kScoreBlocks];
  const auto use = [&](int j, const Keys& x, const Keys& y) {
#pragma unroll
    for (int u = 0; u < R::kStepsPerLoad; ++u) {
      const int step = j * R::kStepsPerLoad + u;
      const QueryOperand<C> q = query(step);
#pragma unroll
      for (int m = 0; m < C::kScoreBlocks; ++m) {
        if constexpr (R::kCodes) {
          std::uint32_t a0, a1, a2, a3;
          e4m3_to_half(word(x[m], u), a0, a2);
          e4m3_to_half(word(y[m], u), a1, a3);
          multiply(Half2{}, m, step, q, a0, a1, a2, a3);
        } else {
          multiply(Bfloat2{}, m, step, q, word(x[m], 2 * u), word(y[m], 2 * u),
                   word(x[m], 2 * u + 1), word(y[m], 2 * u + 1));
        }
      }
    }
  };
  const auto load = [&](int j) {
    Keys x;
    Keys y;
#pragma unroll
    for (int m = 0; m < C::kScoreBlocks; ++m) {
      x[m] = shared_load16(row + R::load_offset(j, t) + 16 * m * C::kPitch);
      y[m] = shared_load16(row + R::load_offset(j, t) + (16 * m + 8) * C::kPitch);
    }
    use(j, x, y);
  };
  // Loads j and j + 1, the halves of a line.
  const auto load_line = [&](int j) {
    const bool odd_key = (threadIdx.x & 4) != 0;
    Keys x[2];
    Keys y[2];
#pragma unroll
    for (int m = 0; m < C::kScoreBlocks; ++m) {
      const std::uint8_t* from = row + R::load_offset(j, t) + 16 * m * C::kPitch;
      shared_load16_pair(from, 64, odd_key, x[0][m], x[1][m]);
      shared_load16_pair(from + 8 * C::kPitch, 64, odd_key, y[0][m], y[1][m]);
    }
    use(j, x[0], y[0]);
    use(j + 1, x[1], y[1]);
  };
  const auto gather = [&](int m, int n, float low, float high) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      scores[m][n][i] = (scores[m][n][i] + odd[m][n][i]) * (i < 2 ? low : high);
      odd[m][n][i] = 0.0f;
    }
  };
  if constexpr (C::kFormat != PoolFormat::ds_mla656) {
    const auto load_some = [&](int first, int last) {
      if constexpr (C::kLines) {
#pragma unroll
        for (int j = first; j < last; j += 2) load_line(j);
      } else {
#pragma unroll
        for (int j = first; j < last; ++j) load(j);
      }
    };
    load_some(0, kLoads);
    if (rope) load_some(kLoads, kSteps / R::kStepsPerLoad);
#pragma unroll
    for (int m = 0; m < C::kScoreBlocks; ++m) {
#pragma unroll
      for (int n = 0; n < C::kRowBlocks; ++n) gather(m, n, 1.0f, 1.0f);
    }
  } else {
    static_assert(C::kScoreBlocks == 1);
    const uint4 low = shared_load16(row + R::kScales);
    const uint4 high = shared_load16(row + R::kScales + 8 * C::kPitch);
    float sum[C::kRowBlocks][4] = {};
#pragma unroll
    for (int group = 0; group < 4; ++group) {
      load(2 * group);
      load(2 * group + 1);
#pragma unroll
      for (int n = 0; n < C::kRowBlocks; ++n) {
        gather(0, n, __uint_as_float(word(low, group)) * kE4m3Unit,
               __uint_as_float(word(high, group)) * kE4m3Unit);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sum[n][i] += scores[0][n][i];
          scores[0][n][i] = 0.0f;
        }
      }
    }
    if (rope) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const uint4 x = shared_load16(row + R::kRope + R::load_offset(j, t));
        const uint4 y = shared_load16(row + R::kRope + R::load_offset(j, t) + 8 * C::kPitch);
        const int step = kLatentSteps + 2 * j;
        multiply(Bfloat2{}, 0, step, query(step), x.x, y.x, x.y, y.y);
        multiply(Bfloat2{}, 0, step + 1, query(step + 1), x.z, y.z, x.w, y.w);
      }
    }
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) scores[0][n][i] += odd[0][n][i] + sum[n][i];
    }
  }
}

// How many of a request's tokens the lane's query rows 8n + 2t and 8n + 2t + 1 see less than the
// last query token does.
template <class C>
struct Visibility {
  int behind[C::kRowBlocks][2];
  __device__ Visibility(const AttentionParams& p, int block, int t) {
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int row = min(block * C::kRows + 8 * n + 2 * t + e, p.heads * p.query_tokens - 1);
        behind[n][e] = p.query_tokens - 1 - row / p.heads;
      }
    }
  }
};

// Probabilities as operands, an element in kHalves parts.
template <class C>
struct Probabilities {
  uint2 half[C::kHalves];

  // Of keys key_of_row(g) (low, high: of query rows 2t, 2t + 1) and 8 further.
  __device__ __forceinline__ void set(float low0, float high0, float low8, float high8) {
    using Element = typename C::Element;
    const std::uint32_t a = Element::pack(low0, high0);
    const std::uint32_t b = Element::pack(low8, high8);
    half[0] = {transpose8x8(a), transpose8x8(b)};
    if constexpr (C::kHalves == 2) {
      const float2 x = Bfloat2::unpack(a);
      const float2 y = Bfloat2::unpack(b);
      half[1] = {transpose8x8(Element::pack(low0 - x.x, high0 - x.y)),
                 transpose8x8(Element::pack(low8 - y.x, high8 - y.y))};
    }
  }
};

// One 16-key block's scores to probabilities relative to the block's maximum, rounded up to a power
// of two, so that to rescale them is exact; the first key is token `first` of the request.
template <class C>
__device__ __forceinline__ void softmax_block(float (&s)[C::kRowBlocks][4], float scale, int first,
                                              const Segment& segment, int query_tokens,
                                              const Visibility<C>& visibility,
                                              Probabilities<C> (&probabilities)[C::kRowBlocks],
                                              float (&maxima)[C::kRowBlocks][2]) {
  const int g = (threadIdx.x & 31) >> 2;
  const bool edge = first + 16 > segment.context - query_tokens + 1;
#pragma unroll
  for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      s[n][i] *= scale;
      const int key = first + key_of_row(g) + 8 * (i >> 1);
      if (edge && key >= segment.context - visibility.behind[n][i & 1]) s[n][i] = -INFINITY;
    }
    float low = fmaxf(fmaxf(s[n][0], s[n][2]), -1e30f);
    float high = fmaxf(fmaxf(s[n][1], s[n][3]), -1e30f);
#pragma unroll
    for (int d = 4; d < 32; d <<= 1) {
      low = fmaxf(low, __shfl_xor_sync(~0u, low, d));
      high = fmaxf(high, __shfl_xor_sync(~0u, high, d));
    }
    maxima[n][0] = low = ceilf(low);
    maxima[n][1] = high = ceilf(high);
    probabilities[n].set(exp2_approx(s[n][0] - low), exp2_approx(s[n][1] - high),
                         exp2_approx(s[n][2] - low), exp2_approx(s[n][3] - high));
  }
}

template <class C>
__device__ __forceinline__ void score_tiles(const AttentionParams& p, const MmaShared<C>& shared,
                                            const Share& share, int warp, int block) {
  const int lane = threadIdx.x & 31;
  const int g = lane >> 2;
  const int t = lane & 3;
  const int tile_group = warp / C::kWarpsPerTile;
  const int first_block = warp % C::kWarpsPerTile * C::kScoreBlocks;
  const float scale = p.score_scale * (C::kFormat == PoolFormat::e4m3 ? kE4m3Unit : 1.0f);
  const std::uint8_t* row = shared.ring + (16 * first_block + key_of_row(g)) * C::kPitch;
  const Visibility<C> visibility(p, block, t);
  RingPosition<C::kStages> at;
  RingPosition<C::kProbabilityTiles> out;
  Segments segments(p, share);
  Segment segment;
  int turn = 0;
  const QueryShared<C> query{shared.queries + lane * C::kRowBlocks};
  QueryStager<C> stager(p, block, warp);
  prefetch_queries<C>(p, share.request, block, 32 * warp + lane, 32 * C::kScoreWarps);
  wait_for_previous_kernel();
  stager.fetch(share.request);
  bool first_segment = true;
  while (segments.next(segment)) {
    if (!first_segment) named_barrier(2, 32 * C::kScoreWarps);
    first_segment = false;
    stager.store(shared.queries);
    named_barrier(2, 32 * C::kScoreWarps);
    if (segments.more()) stager.fetch(segment.request + 1);
    for (int token = segment.begin; token < segment.end; token += C::kTileTokens) {
      if (turn == tile_group) {
        const int first = token + 16 * first_block;
        Probabilities<C> probabilities[C::kScoreBlocks][C::kRowBlocks] = {};
        float maxima[C::kScoreBlocks][C::kRowBlocks][2];
        mbarrier_wait(shared.full + 8 * at.slot, at.parity);
        if (first < segment.end) {
          float s[C::kScoreBlocks][C::kRowBlocks][4] = {};
          score_blocks<C>(row + at.slot * C::kTileTokens * C::kPitch, query, p.rope != 0, t, s);
          __syncwarp();
          warp_arrive(shared.empty + 8 * at.slot, lane);
#pragma unroll
          for (int m = 0; m < C::kScoreBlocks; ++m) {
            softmax_block<C>(s[m], scale, first + 16 * m, segment, p.query_tokens, visibility,
                             probabilities[m], maxima[m]);
          }
        } else {
          warp_arrive(shared.empty + 8 * at.slot, lane);
        }
        mbarrier_wait(shared.consumed + 8 * out.slot, out.parity ^ 1);
#pragma unroll
        for (int m = 0; m < C::kScoreBlocks; ++m) {
          const bool used = first + 16 * m < segment.end;
          const int key_block = first_block + m;
#pragma unroll
          for (int n = 0; n < C::kRowBlocks; ++n) {
            const int tile = out.slot * C::kRowBlocks + n;
#pragma unroll
            for (int h = 0; h < C::kHalves; ++h) {
              shared.probabilities[((tile * C::kTileBlocks + key_block) * C::kHalves + h) * 32 +
                                   lane] = probabilities[m][n].half[h];
            }
            if (g == 0) {
              shared.maxima[(tile * 8 + 2 * t) * 4 + key_block] = used ? maxima[m][n][0] : -1e30f;
              shared.maxima[(tile * 8 + 2 * t + 1) * 4 + key_block] =
                  used ? maxima[m][n][1] : -1e30f;
            }
          }
        }
        __syncwarp();
        warp_arrive(shared.scored + 8 * out.slot, lane);
      }
      at.advance();
      out.advance();
      if (++turn == C::kScoreGroups) turn = 0;
    }
  }
}

}  // namespace bench::cuda
