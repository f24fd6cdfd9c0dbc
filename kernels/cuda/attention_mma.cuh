#pragma once

#include "kernels/cuda/merge.cuh"
#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/tile_loader.cuh"

// MLA decode for up to 16 query rows a CTA on mma.sync, any pool format, any page size.
// Idea: the few query rows are the N of the mma and the keys (then the latents) its M, so that no
// tile is padded to 64 rows. Rows go from the pool straight into a ring in shared memory, as they
// lie; codes become f16 in registers on the way to the tensor cores. Load warps fill the ring,
// score warps turn it into probabilities relative to their own block's maximum, and output warps
// rescale and multiply; the three never meet at one barrier.
// A token costs its row's bytes once and 2 x rows x 1088 flops. Limits: 512 latent columns, rope 0
// or 64.

namespace bench::cuda {

// Format, blocks of 8 query rows, 16-key blocks of a tile, tiles of the ring, score and output
// warps, whether the copy engine moves the rows, 16-key blocks a score warp takes at once.
template <PoolFormat F, int RowBlocks, int TileBlocks, int Stages, int ScoreWarps, int OutputWarps,
          bool Bulk, int ScoreBlocks = 1, int Pitch = default_pitch(F)>
struct MmaConfig {
  static constexpr PoolFormat kFormat = F;
  using R = Row<F, Pitch>;
  static constexpr int kPitch = Pitch;
  using Element = typename R::Element;
  static constexpr int kRowBlocks = RowBlocks;
  static constexpr int kRows = 8 * RowBlocks;
  static constexpr int kTileBlocks = TileBlocks;
  static constexpr int kTileTokens = 16 * TileBlocks;
  static constexpr int kStages = Stages;
  static constexpr int kLoadWarps = 4;
  static constexpr int kScoreWarps = ScoreWarps;
  static constexpr int kOutputWarps = OutputWarps;
  static constexpr int kScoreBlocks = ScoreBlocks;  // 16-key blocks a score warp takes at once
  static constexpr int kWarpsPerTile = TileBlocks / ScoreBlocks;
  static constexpr int kScoreGroups = ScoreWarps / kWarpsPerTile;  // tiles in turn
  static constexpr int kLatentsPerWarp = kLatent / OutputWarps;
  static constexpr int kThreads = 32 * (kLoadWarps + ScoreWarps + OutputWarps);
  static constexpr int kMergeThreads = 32 * (kLoadWarps + ScoreWarps);
  static constexpr bool kBulk = Bulk;
  static constexpr int kProbabilityTiles = Bulk ? 4 : 2;

  // The order of the accumulators in memory, in items of four columns: [row
  // half][quad][warp][lane].
  static constexpr int kQuads = kLatentsPerWarp / 32;
  static __device__ __forceinline__ int row_of(int item) {
    const int half = item / (32 * OutputWarps * kQuads);
    return 8 * (half >> 1) + 2 * (item & 3) + (half & 1);
  }
  static __device__ __forceinline__ int column_of(int item) {
    return column(item / (32 * OutputWarps) % kQuads, item / 32 % OutputWarps, item / 4 % 8);
  }
  // First of the four neighbouring columns that m-tiles 2q and 2q + 1 of an output warp's lane
  // hold.
  static __device__ __forceinline__ int column(int q, int warp, int g) {
    const int base = warp * kLatentsPerWarp;
    if constexpr (R::kCodes) return base + g * (4 * kQuads) + 4 * q;
    return base + (q >> 1) * 64 + 8 * g + 4 * (q & 1);
  }

  static constexpr int kProbabilityBytes = kProbabilityTiles * TileBlocks * RowBlocks * 256;
  static constexpr int kMaximumBytes = kProbabilityTiles * RowBlocks * 8 * 16;
  static constexpr int kQueryBytes = kSteps * 32 * 8 * RowBlocks;
  static constexpr int kBarriers = 2 * Stages + 2 * kProbabilityTiles;
  static constexpr int kSharedBytes = Stages * kTileTokens * Pitch + kProbabilityBytes +
                                      kMaximumBytes + kQueryBytes + kBarriers * 8 + 64;
};

// Views of the CTA's shared memory.
template <class C>
struct MmaShared {
  std::uint8_t* ring;
  uint2* probabilities;  // [tile][row block][16-key block][lane]
  float* maxima;         // [tile][row block][row][4]
  uint2* queries;        // [step][lane][row block]
  Share* share;
  std::uint32_t* launch;
  std::uint32_t full, empty, scored, consumed;  // barriers

  __device__ explicit MmaShared(std::uint8_t* base) {
    ring = base;
    base += C::kStages * C::kTileTokens * C::kPitch;
    probabilities = reinterpret_cast<uint2*>(base);
    base += C::kProbabilityBytes;
    maxima = reinterpret_cast<float*>(base);
    base += C::kMaximumBytes;
    queries = reinterpret_cast<uint2*>(base);
    base += C::kQueryBytes;
    full = shared_address(base);
    empty = full + 8 * C::kStages;
    scored = empty + 8 * C::kStages;
    consumed = scored + 8 * C::kProbabilityTiles;
    base += 8 * C::kBarriers;
    share = reinterpret_cast<Share*>(base);
    launch = reinterpret_cast<std::uint32_t*>(base + 48);
  }
};

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

// The kernel before this one has just written the queries, so they lie in L2; where they do not (a
// measurement with queries made beforehand), this brings them there while it still runs.
template <class C>
__device__ __forceinline__ void prefetch_queries(const AttentionParams& p, int request, int block,
                                                 int warp) {
  const int rows = p.heads * p.query_tokens;
  const int row_bytes = 2 * (kLatent + p.rope);
  const int bytes = min(C::kRows, rows - block * C::kRows) * row_bytes;
  const auto* from = reinterpret_cast<const std::uint8_t*>(p.queries) +
                     (static_cast<std::int64_t>(request) * rows + block * C::kRows) * row_bytes;
  for (int at = (32 * warp + static_cast<int>(threadIdx.x & 31)) * 128; at < bytes;
       at += C::kScoreWarps * 32 * 128) {
    prefetch_l2(from + at);
  }
}

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
  const auto load = [&](int j) {
    uint4 x[C::kScoreBlocks];
    uint4 y[C::kScoreBlocks];
#pragma unroll
    for (int m = 0; m < C::kScoreBlocks; ++m) {
      x[m] = shared_load16(row + R::load_offset(j, t) + 16 * m * C::kPitch);
      y[m] = shared_load16(row + R::load_offset(j, t) + (16 * m + 8) * C::kPitch);
    }
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
  const auto gather = [&](int m, int n, float low, float high) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      scores[m][n][i] = (scores[m][n][i] + odd[m][n][i]) * (i < 2 ? low : high);
      odd[m][n][i] = 0.0f;
    }
  };
  if constexpr (C::kFormat != PoolFormat::ds_mla656) {
#pragma unroll
    for (int j = 0; j < kLoads; ++j) load(j);
    if (rope) {
#pragma unroll
      for (int j = kLoads; j < kSteps / R::kStepsPerLoad; ++j) load(j);
    }
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

// One 16-key block's scores to probabilities relative to the block's maximum; the first key is
// token `first` of the request.
template <class C>
__device__ __forceinline__ void softmax_block(float (&s)[C::kRowBlocks][4], float scale, int first,
                                              const Segment& segment, int query_tokens,
                                              const Visibility<C>& visibility,
                                              uint2 (&probabilities)[C::kRowBlocks],
                                              float (&maxima)[C::kRowBlocks][2]) {
  using Element = typename C::Element;
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
    maxima[n][0] = low;
    maxima[n][1] = high;
    probabilities[n] = {
        transpose8x8(Element::pack(exp2_approx(s[n][0] - low), exp2_approx(s[n][1] - high))),
        transpose8x8(Element::pack(exp2_approx(s[n][2] - low), exp2_approx(s[n][3] - high)))};
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
  prefetch_queries<C>(p, share.request, block, warp);
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
        uint2 probabilities[C::kScoreBlocks][C::kRowBlocks] = {};
        float maxima[C::kScoreBlocks][C::kRowBlocks][2];
        mbarrier_wait(shared.full + 8 * at.slot, at.parity);
        if (first < segment.end) {
          float s[C::kScoreBlocks][C::kRowBlocks][4] = {};
          score_blocks<C>(row + at.slot * C::kTileTokens * C::kPitch, query, p.rope != 0, t, s);
          __syncwarp();
          if (lane == 0) mbarrier_arrive(shared.empty + 8 * at.slot);
#pragma unroll
          for (int m = 0; m < C::kScoreBlocks; ++m) {
            softmax_block<C>(s[m], scale, first + 16 * m, segment, p.query_tokens, visibility,
                             probabilities[m], maxima[m]);
          }
        } else if (lane == 0) {
          mbarrier_arrive(shared.empty + 8 * at.slot);
        }
        mbarrier_wait(shared.consumed + 8 * out.slot, out.parity ^ 1);
#pragma unroll
        for (int m = 0; m < C::kScoreBlocks; ++m) {
          const bool used = first + 16 * m < segment.end;
          const int key_block = first_block + m;
#pragma unroll
          for (int n = 0; n < C::kRowBlocks; ++n) {
            const int tile = out.slot * C::kRowBlocks + n;
            shared.probabilities[(tile * C::kTileBlocks + key_block) * 32 + lane] =
                probabilities[m][n];
            if (g == 0) {
              shared.maxima[(tile * 8 + 2 * t) * 4 + key_block] = used ? maxima[m][n][0] : -1e30f;
              shared.maxima[(tile * 8 + 2 * t + 1) * 4 + key_block] =
                  used ? maxima[m][n][1] : -1e30f;
            }
          }
        }
        __syncwarp();
        if (lane == 0) mbarrier_arrive(shared.scored + 8 * out.slot);
      }
      at.advance();
      out.advance();
      if (++turn == C::kScoreGroups) turn = 0;
    }
  }
}

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
                                             const uint2 (&p)[C::kRowBlocks],
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
#pragma unroll
      for (int i = 0; i < kWords / 4; ++i) {
        const uint4 v = shared_load16(from + 128 * i);
#pragma unroll
        for (int j = 0; j < 4; ++j) words[key][4 * i + j] = word(v, j);
      }
    }
  }
  const auto multiply = [&](int m, std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                            std::uint32_t a3) {
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
      Element::mma(sums.output[n][m], a0, a1, a2, a3, p[n].x, p[n].y);
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
  const float2 v = __half22float2(*reinterpret_cast<const __half2*>(&p));
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
  const int bytes_per_lane = C::R::kCodes ? C::kLatentsPerWarp / 8 : 16;
  const std::uint8_t* columns =
      shared.ring + warp * C::kLatentsPerWarp * (C::R::kCodes ? 1 : 2) + g * bytes_per_lane;
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
        uint2 probabilities[C::kRowBlocks];
#pragma unroll
        for (int n = 0; n < C::kRowBlocks; ++n) {
          const uint2 raw =
              shared
                  .probabilities[((in.slot * C::kRowBlocks + n) * C::kTileBlocks + b) * 32 + lane];
          probabilities[n] = rescaled<C>(raw, factor[n][b], sums.sum[n]);
          if constexpr (C::kFormat == PoolFormat::ds_mla656) {
            const std::uint8_t* scales = shared.ring + at.slot * C::kTileTokens * C::kPitch +
                                         C::R::kScales + warp * C::kLatentsPerWarp / 128 * 4;
            const auto scale = [&](int key) {
              return *reinterpret_cast<const float*>(scales + (16 * b + key) * C::kPitch);
            };
            const int even = key_of_row(2 * t);
            const int odd = key_of_row(2 * t + 1);
            probabilities[n] = {scaled_pair(probabilities[n].x, scale(even), scale(odd)),
                                scaled_pair(probabilities[n].y, scale(even + 8), scale(odd + 8))};
          }
        }
        output_block<C>(value, probabilities, sums);
      }
      __syncwarp();
      if (lane == 0) {
        mbarrier_arrive(shared.consumed + 8 * in.slot);
        mbarrier_arrive(shared.empty + 8 * at.slot);
      }
      at.advance();
      in.advance();
    }
    many = many || parts.count() > p.few_parts;
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

template <class C>
__device__ __forceinline__ void init_barriers(const MmaShared<C>& shared) {
  for (int i = 0; i < C::kStages; ++i) {
    mbarrier_init(shared.full + 8 * i, C::kLoadWarps);
    mbarrier_init(shared.empty + 8 * i, C::kWarpsPerTile + C::kOutputWarps);
  }
  for (int i = 0; i < C::kProbabilityTiles; ++i) {
    mbarrier_init(shared.scored + 8 * i, C::kWarpsPerTile);
    mbarrier_init(shared.consumed + 8 * i, C::kOutputWarps);
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
  merge_slices<C>(p, share, block, threadIdx.x, [&] {
    if (!ready) named_barrier(4, C::kThreads);
    ready = true;
    return *shared.launch;
  });
}

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    attention_mma(const __grid_constant__ AttentionParams p) {
  if constexpr (has_what_it_takes<C>()) attend<C>(p);
}

template <class C>
AttentionKernel mma_kernel(const char* name) {
  static_assert(C::kSharedBytes <= (C::kBulk ? 232'448 : 101'376), "more than such devices have");
  return {.name = name,
          .format = C::kFormat,
          .rows = C::kRows,
          .few_parts = 8,
          .threads = C::kThreads,
          .shared_bytes = C::kSharedBytes,
          .least_capability = C::kBulk ? 90 : 80,
          .only_capability = 0,
          .function = reinterpret_cast<const void*>(attention_mma<C>)};
}

}  // namespace bench::cuda
