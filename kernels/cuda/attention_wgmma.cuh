#pragma once

#include "kernels/cuda/merge.cuh"
#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/tile_loader.cuh"
#include "kernels/cuda/wgmma.cuh"

// MLA decode over an e4m3 pool for 32 or 64 query rows a CTA on Hopper's warpgroup mma.
// Idea: keys (then latents) are the M of the mma and come from registers, converted on the way, so
// that the tile is never written back; the query rows are its N. One warpgroup turns tiles of 64
// keys into probabilities, two more multiply, each half of the latents; so one's softmax runs under
// the others' mma. Probabilities are relative to a reference that moves only when one would pass
// 2^10. A token costs 576 bytes once and 2 x rows x 1088 flops; bound by the tensor cores at 64
// rows. Limits: sm_90a, 512 latent columns, rope 0 or 64.

namespace bench::cuda {

template <int Rows, int Stages>
struct WgmmaConfig {
  static constexpr PoolFormat kFormat = PoolFormat::e4m3;
  static constexpr int kPitch = default_pitch(kFormat);
  using R = Row<kFormat, kPitch>;
  static constexpr int kRows = Rows;
  static constexpr int kRowBlocks = Rows / 8;
  static constexpr int kTileTokens = 32;  // of the ring
  static constexpr int kStepTokens = 64;  // of an mma: up to two tiles of the ring
  static constexpr int kStages = Stages;
  static constexpr int kLoadWarps = 4;
  static constexpr int kScoreWarps = 4;
  static constexpr int kOutputWarps = 8;
  static constexpr int kThreads = 32 * (kLoadWarps + kScoreWarps + kOutputWarps);
  static constexpr int kMergeThreads = 32 * kOutputWarps;
  static constexpr bool kBulk = true;
  static constexpr int kLoadRegisters = 32;
  static constexpr int kScoreRegisters = 112;
  static constexpr int kOutputRegisters = 184;

  // The order of the accumulators in memory: as in MmaConfig, for eight output warps.
  static constexpr int kQuads = 2;
  static __device__ __forceinline__ int row_of(int item) {
    const int half = item / (32 * kOutputWarps * kQuads);
    return 8 * (half >> 1) + 2 * (item & 3) + (half & 1);
  }
  static __device__ __forceinline__ int column_of(int item) {
    return column(item / (32 * kOutputWarps) % kQuads, item / 32 % kOutputWarps, item / 4 % 8);
  }
  static __device__ __forceinline__ int column(int q, int warp, int g) {
    return 64 * warp + 8 * g + 4 * q;
  }

  static constexpr int kMessages = 2;  // from the score warps to the output warps, on their way
  static constexpr int kQueryBytes = Rows * kSteps * 32;
  static constexpr int kProbabilityBytes = Rows * 128;
  static constexpr int kRowFloats = Rows * (2 + kScoreWarps + 2 * kMessages);
  static constexpr int kBarriers = 2 * Stages + 2 * kMessages;
  static constexpr int kSharedBytes = kQueryBytes + kMessages * kProbabilityBytes +
                                      Stages * kTileTokens * kPitch + 4 * kRowFloats +
                                      8 * kBarriers + 80;
};

// What goes from the score warps to the output warps: the probabilities of a step, with the factors
// that bring what is there to their reference where it moved; or, when a segment ends, the rows'
// sums and maxima.
struct Message {
  std::uint32_t probabilities;  // [row][64 keys] f16, swizzled
  float* first;                 // [row] factor; sum
  float* second;                // [row] maximum
};

template <class C>
struct WgmmaShared {
  std::uint32_t queries;  // [step / 4][row][64 columns] f16, swizzled
  std::uint32_t probabilities;
  std::uint8_t* ring;
  float* reference;  // [row] what probabilities are relative to, log2 units
  int* highest;      // [row] ordered_bits() of a new maximum
  float* sums;       // [score warp][row]
  float* rows;       // [message][2][row]
  std::uint32_t full, empty, scored, consumed;  // barriers
  Share* share;
  std::uint32_t* launch;
  volatile int* moved;  // [message] whether its reference moved

  __device__ explicit WgmmaShared(std::uint8_t* base) {
    queries = shared_address(base);
    base += C::kQueryBytes;
    probabilities = shared_address(base);
    base += C::kMessages * C::kProbabilityBytes;
    ring = base;
    base += C::kStages * C::kTileTokens * C::kPitch;
    reference = reinterpret_cast<float*>(base);
    highest = reinterpret_cast<int*>(reference + C::kRows);
    sums = reference + 2 * C::kRows;
    rows = sums + C::kScoreWarps * C::kRows;
    base += 4 * C::kRowFloats;
    full = shared_address(base);
    empty = full + 8 * C::kStages;
    scored = empty + 8 * C::kStages;
    consumed = scored + 8 * C::kMessages;
    base += 8 * C::kBarriers;
    share = reinterpret_cast<Share*>(base);
    launch = reinterpret_cast<std::uint32_t*>(base + 48);
    moved = reinterpret_cast<volatile int*>(base + 56);
  }
  __device__ __forceinline__ Message message(int i) const {
    return {probabilities + i * C::kProbabilityBytes, rows + 2 * i * C::kRows,
            rows + (2 * i + 1) * C::kRows};
  }
};

// Integers that compare as the floats they come from.
__device__ __forceinline__ int ordered_bits(float x) {
  const int bits = __float_as_int(x);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
__device__ __forceinline__ float from_ordered_bits(int bits) {
  return __int_as_float(bits >= 0 ? bits : bits ^ 0x7fffffff);
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// The queries of a request to shared memory as the B operand, columns in the order of the steps.
template <class C>
__device__ __forceinline__ void stage_queries(const AttentionParams& p, std::uint32_t queries,
                                              int request, int block, int thread) {
  constexpr int kBatch = 9;
  constexpr int kThreads = 32 * C::kScoreWarps;
  const int rows = p.heads * p.query_tokens;
  const int per_row = (kLatent + p.rope) / 8;
  const auto* from = reinterpret_cast<const uint4*>(p.queries) +
                     (static_cast<std::int64_t>(request) * rows + block * C::kRows) * per_row;
  const int there = min(C::kRows, rows - block * C::kRows) * per_row;
  for (int first = thread; first < C::kRows * per_row; first += kBatch * kThreads) {
    uint4 value[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      value[i] = at < there ? __ldg(from + at) : uint4{0, 0, 0, 0};
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      const int row = p.rope != 0 ? at / ((kLatent + 64) / 8) : at / (kLatent / 8);
      if (row >= C::kRows) continue;
      const QueryPlace place = query_place<C::kFormat, C::kPitch>(at - row * per_row);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int step = place.step + (k >> 1);
        const int chunk = (step & 3) * 2 + (k & 1);
        store_shared(queries + (step >> 2) * (C::kRows * 128) + row * 128 +
                         ((chunk ^ (row & 7)) << 4) + 4 * place.t,
                     bfloat2_to_half2(word(value[i], k)));
      }
    }
  }
}

// scores = 64 keys x queries; `row` is the lane's place in the warp's 16 rows.
template <class C>
__device__ __forceinline__ void score_keys(const std::uint8_t* row, std::uint32_t queries,
                                           bool rope, int t, float (&scores)[C::kRows / 2]) {
  using R = typename C::R;
  // Groups of two mma, up to three of them on their way.
  std::uint32_t a[3][2][4];
  uint4 x = shared_load16(row + R::load_offset(0, t));
  uint4 y = shared_load16(row + R::load_offset(0, t) + 8 * C::kPitch);
  const auto convert = [&](int k, std::uint32_t(&to)[2][4]) {
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      e4m3_to_half(word(x, 2 * (k & 1) + u), to[u][0], to[u][2]);
      e4m3_to_half(word(y, 2 * (k & 1) + u), to[u][1], to[u][3]);
    }
  };
  const auto multiply = [&](int k, const std::uint32_t(&from)[2][4]) {
    const std::uint32_t at = queries + (k >> 1) * (C::kRows * 128) + 64 * (k & 1);
    wgmma_fence();
    Wgmma<C::kRows>::run(scores, from[0], swizzled_operand(at));
    Wgmma<C::kRows>::run(scores, from[1], swizzled_operand(at + 32));
    wgmma_commit();
  };
#pragma unroll
  for (int i = 0; i < C::kRows / 2; ++i) scores[i] = 0.0f;
#pragma unroll
  for (int k = 0; k < kLatentSteps / 2; ++k) {
    wgmma_wait<2>();
    convert(k, a[k % 3]);
    if ((k & 1) != 0) {
      // These fly while the tensor cores work; without rope the last ones are read for nothing.
      x = shared_load16(row + R::load_offset((k + 1) / 2, t));
      y = shared_load16(row + R::load_offset((k + 1) / 2, t) + 8 * C::kPitch);
    }
    multiply(k, a[k % 3]);
  }
  wgmma_wait<0>();
  if (rope) {
    convert(0, a[0]);
    convert(1, a[1]);
    multiply(kLatentSteps / 2, a[0]);
    multiply(kLatentSteps / 2 + 1, a[1]);
    wgmma_wait<0>();
  }
}

// Moves the references up to the scores at hand; `factors` is what that multiplies sums by.
template <class C>
__device__ __forceinline__ void raise_references(const WgmmaShared<C>& shared,
                                                 const float (&scores)[C::kRows / 2], float scale,
                                                 float* factors, int thread,
                                                 float (&sums)[C::kRows / 4]) {
  const int g = (thread & 31) >> 2;
  const int t = thread & 3;
#pragma unroll
  for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float top = fmaxf(scores[4 * n + e], scores[4 * n + 2 + e]) * scale;
#pragma unroll
      for (int d = 4; d < 32; d <<= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
      if (g == 0) atomicMax(shared.highest + 8 * n + 2 * t + e, ordered_bits(top));
    }
  }
  named_barrier(1, 32 * C::kScoreWarps);
  if (thread < C::kRows) {
    const float before = shared.reference[thread];
    const float after = fmaxf(before, from_ordered_bits(shared.highest[thread]));
    shared.reference[thread] = after;
    factors[thread] = exp2_approx(before - after);
    shared.highest[thread] = ordered_bits(-INFINITY);
  }
  named_barrier(1, 32 * C::kScoreWarps);
#pragma unroll
  for (int i = 0; i < C::kRows / 4; ++i) sums[i] *= factors[(i >> 1) * 8 + 2 * t + (i & 1)];
}

// Scores to probabilities, stored as the B operand of the output.
template <class C>
__device__ __forceinline__ void store_probabilities(const WgmmaShared<C>& shared,
                                                    std::uint32_t probabilities,
                                                    const float (&scores)[C::kRows / 2],
                                                    float scale, int warp,
                                                    float (&sums)[C::kRows / 4]) {
  const int lane = threadIdx.x & 31;
  const int t = lane & 3;
  const std::uint32_t to = probabilities + (8 * (lane >> 4) + (lane & 7)) * 128 +
                           (((2 * warp + (lane >> 3 & 1)) ^ (lane & 7)) << 4);
#pragma unroll
  for (int n = 0; n < C::kRowBlocks; n += 2) {
    std::uint32_t packed[4];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const float2 reference =
          *reinterpret_cast<const float2*>(shared.reference + 8 * (n + k) + 2 * t);
      const float* s = scores + 4 * (n + k);
      const float p0 = exp2_approx(s[0] * scale - reference.x);
      const float p1 = exp2_approx(s[1] * scale - reference.y);
      const float p2 = exp2_approx(s[2] * scale - reference.x);
      const float p3 = exp2_approx(s[3] * scale - reference.y);
      sums[2 * (n + k)] += p0 + p2;
      sums[2 * (n + k) + 1] += p1 + p3;
      packed[2 * k] = Half2::pack(p0, p1);
      packed[2 * k + 1] = Half2::pack(p2, p3);
    }
    store_transposed(to + n * 1024, packed[0], packed[1], packed[2], packed[3]);
  }
}

// The score warpgroup.
template <class C>
class Scorer {
 public:
  __device__ __forceinline__ Scorer(const AttentionParams& p, const WgmmaShared<C>& shared,
                                    int warp, int block)
      : p_(p),
        shared_(shared),
        warp_(warp),
        block_(block),
        lane_(threadIdx.x & 31),
        thread_(32 * warp + lane_) {}

  __device__ __forceinline__ void run(const Share& share) {
    Segments segments(p_, share);
    Segment segment;
    while (segments.next(segment)) {
      named_barrier(1, kThreads);  // the request before is done with queries and references
      stage_queries<C>(p_, shared_.queries, segment.request, block_, thread_);
      if (thread_ < C::kRows) {
        shared_.reference[thread_] = -1e30f;
        shared_.highest[thread_] = ordered_bits(-INFINITY);
      }
      fence_async_proxy();
      named_barrier(1, kThreads);
#pragma unroll
      for (int i = 0; i < C::kRows / 4; ++i) sums_[i] = 0.0f;
      for (int token = segment.begin; token < segment.end; token += C::kStepTokens)
        step(segment, token);
      send_totals();
    }
  }

 private:
  static constexpr int kThreads = 32 * C::kScoreWarps;
  static constexpr float kHeadroom = 10.0f;

  __device__ __forceinline__ void step(const Segment& segment, int token) {
    const int t = lane_ & 3;
    const int keys = min(C::kStepTokens, segment.end - token);
    const int first = token + 16 * warp_;
    RingPosition<C::kStages> tile = at_;
    if (warp_ >= 2) tile.advance();
    // The last warps may have no keys; they go along with whatever lies there.
    if (32 * (warp_ >> 1) < keys) mbarrier_wait(shared_.full + 8 * tile.slot, tile.parity);
    float scores[C::kRows / 2];
    score_keys<C>(
        shared_.ring +
            (tile.slot * C::kTileTokens + 16 * (warp_ & 1) + key_of_row(lane_ >> 2)) * C::kPitch,
        shared_.queries, p_.rope != 0, t, scores);
    for (int i = 0; i < keys; i += C::kTileTokens) {
      if (lane_ == 0) mbarrier_arrive(shared_.empty + 8 * at_.slot);
      at_.advance();
    }
    if (first + 16 > min(segment.end, segment.context - p_.query_tokens + 1))
      mask(segment, first, scores);
    bool over = false;
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
      const float2 reference = *reinterpret_cast<const float2*>(shared_.reference + 8 * n + 2 * t);
      over = over ||
             fmaxf(scores[4 * n], scores[4 * n + 2]) * p_.score_scale > reference.x + kHeadroom ||
             fmaxf(scores[4 * n + 1], scores[4 * n + 3]) * p_.score_scale > reference.y + kHeadroom;
    }
    const bool moved = any_at_barrier(2, kThreads, over);
    const Message message = shared_.message(to_.slot);
    mbarrier_wait(shared_.consumed + 8 * to_.slot, to_.parity ^ 1);
    if (moved) raise_references<C>(shared_, scores, p_.score_scale, message.first, thread_, sums_);
    if (thread_ == 0) shared_.moved[to_.slot] = moved ? 1 : 0;
    store_probabilities<C>(shared_, message.probabilities, scores, p_.score_scale, warp_, sums_);
    send();
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

  __device__ __forceinline__ void send() {
    fence_async_proxy();
    __syncwarp();
    if (lane_ == 0) mbarrier_arrive(shared_.scored + 8 * to_.slot);
    to_.advance();
  }

  // Sums and maxima of all keys.
  __device__ __forceinline__ void send_totals() {
    const int t = lane_ & 3;
#pragma unroll
    for (int i = 0; i < C::kRows / 4; ++i) {
      float sum = sums_[i];
#pragma unroll
      for (int d = 4; d < 32; d <<= 1) sum += __shfl_xor_sync(~0u, sum, d);
      if (lane_ < 4) shared_.sums[warp_ * C::kRows + (i >> 1) * 8 + 2 * t + (i & 1)] = sum;
    }
    named_barrier(1, kThreads);
    const Message message = shared_.message(to_.slot);
    mbarrier_wait(shared_.consumed + 8 * to_.slot, to_.parity ^ 1);
    if (thread_ < C::kRows) {
      float sum = 0.0f;
#pragma unroll
      for (int w = 0; w < C::kScoreWarps; ++w) sum += shared_.sums[w * C::kRows + thread_];
      message.first[thread_] = sum;
      message.second[thread_] = shared_.reference[thread_];
    }
    send();
  }

  const AttentionParams& p_;
  const WgmmaShared<C>& shared_;
  int warp_, block_, lane_, thread_;
  RingPosition<C::kStages> at_;
  RingPosition<C::kMessages> to_;
  float sums_[C::kRows / 4];  // of rows 8n + 2t + e, at 2n + e; this lane's keys alone
};

// The output warpgroups.
template <class C>
class Multiplier {
 public:
  __device__ __forceinline__ Multiplier(const AttentionParams& p, const WgmmaShared<C>& shared,
                                        int warp, int block)
      : p_(p), shared_(shared), warp_(warp), block_(block), lane_(threadIdx.x & 31) {
    const int t = lane_ & 3;
    columns_ = shared.ring + 64 * warp + 8 * (lane_ >> 2);
    even_ = key_of_row(2 * t) * C::kPitch;
    odd_ = key_of_row(2 * t + 1) * C::kPitch;
  }

  __device__ __forceinline__ void run(const Share& share) {
    Segments segments(p_, share);
    Segment segment;
    while (segments.next(segment)) {
      const Parts parts = share.parts_of(segment);
#pragma unroll
      for (int m = 0; m < 4; ++m) {
#pragma unroll
        for (int i = 0; i < C::kRows / 2; ++i) output_[m][i] = 0.0f;
      }
      for (int token = segment.begin; token < segment.end; token += C::kStepTokens) {
        step(min(C::kStepTokens, segment.end - token));
      }
      const RowTotals<C> totals = receive_totals();
      store_segment<C>(
          p_, segment.request, part_slot(share.group, parts.first_group, p_.row_blocks, block_),
          parts.count() == 1, *shared_.launch, totals,
          [&](int n, int q, int e) {
            return float4{output_[2 * q][4 * n + e], output_[2 * q][4 * n + 2 + e],
                          output_[2 * q + 1][4 * n + e], output_[2 * q + 1][4 * n + 2 + e]};
          },
          warp_, block_);
    }
  }

 private:
  __device__ __forceinline__ void step(int keys) {
    const Message message = shared_.message(from_.slot);
    mbarrier_wait(shared_.scored + 8 * from_.slot, from_.parity);
    if (shared_.moved[from_.slot] != 0) rescale(message.first);
    // Groups of two mma, half a 16-key block, up to three of them on their way.
    std::uint32_t a[3][2][4];
    if (keys == C::kStepTokens) {
      mbarrier_wait(shared_.full + 8 * at_.slot, at_.parity);
      uint2 w[4];
      load(0, w);
#pragma unroll
      for (int k = 0; k < C::kStepTokens / 8; ++k) {
        wgmma_wait<2>();
        convert(w, k & 1, a[k % 3]);
        if (k == 3 || k == 7) give_back();
        if (k == 3) mbarrier_wait(shared_.full + 8 * at_.slot, at_.parity);
        if ((k & 1) != 0 && k + 1 < C::kStepTokens / 8) load((k + 1) / 2, w);
        multiply(k, message.probabilities, a[k % 3]);
      }
      wgmma_wait<0>();
    } else {
#pragma unroll 1
      for (int b = 0; 16 * b < keys; ++b) {
        if ((b & 1) == 0) mbarrier_wait(shared_.full + 8 * at_.slot, at_.parity);
        uint2 w[4];
        load(b, w);
        convert(w, 0, a[0]);
        convert(w, 1, a[1]);
        if ((b & 1) != 0 || 16 * (b + 1) >= keys) give_back();
        multiply(2 * b, message.probabilities, a[0]);
        multiply(2 * b + 1, message.probabilities, a[1]);
        wgmma_wait<0>();
      }
    }
    consumed();
  }

  // The lane's columns of the keys of 16-key block b of the step.
  __device__ __forceinline__ void load(int b, uint2 (&w)[4]) const {
    const std::uint8_t* rows = columns_ + (at_.slot * C::kTileTokens + 16 * (b & 1)) * C::kPitch;
    w[0] = *reinterpret_cast<const uint2*>(rows + even_);
    w[1] = *reinterpret_cast<const uint2*>(rows + odd_);
    w[2] = *reinterpret_cast<const uint2*>(rows + even_ + 8 * C::kPitch);
    w[3] = *reinterpret_cast<const uint2*>(rows + odd_ + 8 * C::kPitch);
  }
  // Operands of columns 4 half to 4 half + 3 of the lane's eight.
  static __device__ __forceinline__ void convert(const uint2 (&w)[4], int half,
                                                 std::uint32_t (&a)[2][4]) {
    std::uint32_t v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = half == 0 ? w[i].x : w[i].y;
    e4m3_to_half(permute<0x5140>(v[0], v[1]), a[0][0], a[0][1]);
    e4m3_to_half(permute<0x5140>(v[2], v[3]), a[0][2], a[0][3]);
    e4m3_to_half(permute<0x7362>(v[0], v[1]), a[1][0], a[1][1]);
    e4m3_to_half(permute<0x7362>(v[2], v[3]), a[1][2], a[1][3]);
  }
  // The k-th half block of the step.
  __device__ __forceinline__ void multiply(int k, std::uint32_t probabilities,
                                           const std::uint32_t (&a)[2][4]) {
    const std::uint64_t b = swizzled_operand(probabilities + 32 * (k >> 1));
    wgmma_fence();
    if ((k & 1) == 0) {
      Wgmma<C::kRows>::run(output_[0], a[0], b);
      Wgmma<C::kRows>::run(output_[1], a[1], b);
    } else {
      Wgmma<C::kRows>::run(output_[2], a[0], b);
      Wgmma<C::kRows>::run(output_[3], a[1], b);
    }
    wgmma_commit();
  }
  __device__ __forceinline__ void rescale(const float* by) {
    const int t = lane_ & 3;
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
      const float2 f = *reinterpret_cast<const float2*>(by + 8 * n + 2 * t);
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        output_[m][4 * n] *= f.x;
        output_[m][4 * n + 1] *= f.y;
        output_[m][4 * n + 2] *= f.x;
        output_[m][4 * n + 3] *= f.y;
      }
    }
  }
  __device__ __forceinline__ void give_back() {
    __syncwarp();
    if (lane_ == 0) mbarrier_arrive(shared_.empty + 8 * at_.slot);
    at_.advance();
  }
  __device__ __forceinline__ void consumed() {
    __syncwarp();
    if (lane_ == 0) mbarrier_arrive(shared_.consumed + 8 * from_.slot);
    from_.advance();
  }
  __device__ __forceinline__ RowTotals<C> receive_totals() {
    const Message message = shared_.message(from_.slot);
    mbarrier_wait(shared_.scored + 8 * from_.slot, from_.parity);
    RowTotals<C> totals;
#pragma unroll
    for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        totals.sum[n][e] = message.first[8 * n + 2 * (lane_ & 3) + e];
        totals.maximum[n][e] = message.second[8 * n + 2 * (lane_ & 3) + e];
      }
    }
    consumed();
    return totals;
  }

  const AttentionParams& p_;
  const WgmmaShared<C>& shared_;
  int warp_, block_, lane_;
  const std::uint8_t* columns_;  // the lane's, in the first row of the ring
  int even_, odd_;               // bytes to the rows of the lane's keys
  RingPosition<C::kStages> at_;
  RingPosition<C::kMessages> from_;
  float output_[4][C::kRows / 2];  // [latents 8g + 2m, + 1][row]
};

template <class C>
__device__ __forceinline__ void init_barriers(const WgmmaShared<C>& shared) {
  for (int i = 0; i < C::kStages; ++i) {
    mbarrier_init(shared.full + 8 * i, C::kLoadWarps);
    mbarrier_init(shared.empty + 8 * i, C::kScoreWarps + C::kOutputWarps);
  }
  for (int i = 0; i < C::kMessages; ++i) {
    mbarrier_init(shared.scored + 8 * i, C::kScoreWarps);
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
  } else if (warp < C::kLoadWarps + C::kScoreWarps) {
    shrink_registers<C::kScoreRegisters>();
    if (threadIdx.x == 32 * C::kLoadWarps) init_barriers<C>(shared);
    named_barrier(3, C::kThreads);
    const Share share = *shared.share;
    if (share.begin < share.end) {
      wait_for_previous_kernel();
      Scorer<C>(p, shared, warp - C::kLoadWarps, block).run(share);
    }
  } else {
    grow_registers<C::kOutputRegisters>();
    named_barrier(3, C::kThreads);
    const Share share = *shared.share;
    if (share.begin < share.end) {
      wait_for_previous_kernel();
      if (threadIdx.x == 32 * (C::kLoadWarps + C::kScoreWarps)) {
        *shared.launch = launch_number(p.clock, blockIdx.x, share.groups * p.row_blocks);
      }
      named_barrier(4, 32 * C::kOutputWarps);
      Multiplier<C>(p, shared, warp - C::kLoadWarps - C::kScoreWarps, block).run(share);
      merge_slices<C>(p, share, block,
                      static_cast<int>(threadIdx.x) - 32 * (C::kLoadWarps + C::kScoreWarps),
                      [&] { return *shared.launch; });
    }
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
          .threads = C::kThreads,
          .shared_bytes = C::kSharedBytes,
          .least_capability = 90,
          .only_capability = 90,
          .function = reinterpret_cast<const void*>(attention_wgmma<C>)};
}

}  // namespace bench::cuda
