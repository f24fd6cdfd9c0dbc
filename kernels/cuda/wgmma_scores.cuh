#pragma once

#include "kernels/cuda/wgmma_config.cuh"

// The score warpgroup of a many-heads kernel: from queries and keys to probabilities. See
// attention_wgmma.cuh.

namespace bench::cuda {

// Integers that compare as the floats they come from.
__device__ __forceinline__ int ordered_bits(float x) {
  const int bits = __float_as_int(x);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
__device__ __forceinline__ float from_ordered_bits(int bits) {
  return __int_as_float(bits >= 0 ? bits : bits ^ 0x7fffffff);
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// The queries of a request to shared memory as the B operand, columns in the order of the steps. A
// thread takes eight neighbouring columns, which go to four 16-byte chunks of four lanes' pairs.
// `ready` waits until the queries there are done with. By `Threads` threads.
template <class C, int Threads, class Ready>
__device__ __forceinline__ void stage_queries(const AttentionParams& p, std::uint32_t queries,
                                              int request, int block, int thread,
                                              const Ready& ready) {
  constexpr int kPieces = C::kRows * 2 * kSteps;
  constexpr int kEach = (kPieces + Threads - 1) / Threads;
  constexpr int kBatch = kEach < 9 ? kEach : 9;
  asm volatile("" : "+r"(thread));  // what follows from it is not worth registers until then
  const int rows = p.heads * p.query_tokens;
  const int there = min(C::kRows, rows - block * C::kRows);
  const int columns = kLatent + p.rope;
  const std::uint16_t* from =
      p.queries + (static_cast<std::int64_t>(request) * rows + block * C::kRows) * columns;
  // Of four steps: lane t's 16-byte chunk of codes, and which half of its columns.
  const int t = thread & 3;
  const int half = thread >> 2 & 1;
  const auto row_of = [&](int i) { return (thread + i * Threads) / 8 % C::kRows; };
  const auto load_of = [&](int i) { return (thread + i * Threads) / (8 * C::kRows); };
  uint4 eight[kBatch];
#pragma unroll
  for (int first = 0; first < kEach; first += kBatch) {
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int row = row_of(first + i);
      const int column = C::R::load_offset(load_of(first + i), t) + 8 * half;
      eight[i] = row < there && column < columns
                     ? __ldg(reinterpret_cast<const uint4*>(from + row * columns + column))
                     : uint4{0, 0, 0, 0};
    }
    if (first == 0) ready();
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (thread + (first + i) * Threads >= kPieces) break;
      const int row = row_of(first + i);
      const std::uint32_t to = queries + (load_of(first + i) * C::kRows + row) * 128 + 4 * t;
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        store_shared4(to + ((4 * half + pair) ^ (row & 7)) * 16,
                      bfloat2_to_half2(word(eight[i], pair)));
      }
    }
  }
}

template <class C>
class WgmmaScores {
 public:
  __device__ __forceinline__ WgmmaScores(const AttentionParams& p, const WgmmaShared<C>& shared,
                                         int warp, int block)
      : p_(p), shared_(shared), warp_(warp), block_(block), lane_(own(threadIdx.x & 31)) {
    if (warp >= 2) at_.advance();
    reference_ = shared_address(shared.reference + 2 * (lane_ & 3));
  }

  // The first segment's queries are there.
  __device__ __forceinline__ void run(const Share& share) {
    Segments segments(p_, share);
    Segment segment;
    for (bool first = true; segments.next(segment); first = false) {
      begin(segment, first);
      score((segment.end - segment.begin + C::kBlockTokens - 1) / C::kBlockTokens);
    }
    mbarrier_wait(shared_.consumed + 8 * to_.slot, to_.parity ^ 1);
    if (thread() == 0) shared_.news[to_.slot] = kDone;
    send();
  }

 private:
  using Scores = float[C::kRows / 2];
  static constexpr float kHeadroom = 10.0f;                // log2 of the most a probability becomes
  static constexpr int kGroups = kSteps / C::kScoreSteps;  // of mma
  static constexpr int kBuffers = 2;                       // of operands
  static constexpr int kChunks = kSteps / 4;               // of codes, 16 bytes a lane
  static constexpr int kPairs = C::kRowBlocks / 2;
  static_assert(kGroups * C::kScoreSteps == kSteps && kGroups % kBuffers == 0);
  static_assert(4 * (kChunks - 1) == kLatentSteps);
  static_assert(kPairs + 3 <= kGroups);

  __device__ __forceinline__ int thread() const { return 32 * warp_ + lane_; }
  // What follows from it is not worth registers before.
  static __device__ __forceinline__ int late(int x) {
    asm volatile("" : "+r"(x));
    return x;
  }
  __device__ __forceinline__ void barrier() const {
    named_barrier(C::kScoreBarrier, C::kScoreThreads);
  }

  __device__ __forceinline__ void begin(const Segment& segment, bool first) {
    if (!first) {
      // All are done with the queries and references of the segment before.
      stage_queries<C, C::kScoreThreads>(p_, shared_.queries, segment.request, block_, thread(),
                                         [&] { barrier(); });
    }
    if (thread() == 0) *shared_.scoring = segment;
    if (thread() < C::kRows) {
      shared_.reference[thread()] = 0.0f;
      shared_.highest[thread()] = ordered_bits(-INFINITY);
      const int query = min(block_ * C::kRows + thread(), p_.heads * p_.query_tokens - 1);
      const int seen = segment.context - p_.query_tokens + 1 + query / p_.heads;
      shared_.visible[thread()] = min(segment.end, seen) - segment.begin;
    }
    whole_ =
        (min(segment.end, segment.context - p_.query_tokens + 1) - segment.begin) / C::kBlockTokens;
    fence_async_proxy();
    barrier();
  }

  // All blocks of a segment; a block's probabilities are made under the mma of the next.
  __device__ __forceinline__ void score(int blocks) {
    open(true);
    load(0);
    convert(0, false);
    Scores made, softening;
    multiply(0, blocks > 1, made, [](int) {});
    int b = 0;
#pragma unroll 1
    for (; b + 1 < blocks; ++b) {
#pragma unroll
      for (int i = 0; i < C::kRows / 2; ++i) softening[i] = made[i];
      multiply(b + 1, b + 2 < blocks, made, [&](int k) { soften(k, softening, b == 0, false); });
    }
#pragma unroll
    for (int k = 0; k <= kPairs + 2; ++k) soften(k, made, b == 0, true);
  }

  // The warp's tile of the next block, if there is `another`.
  __device__ __forceinline__ void open(bool another) {
    if (!another) return;
    mbarrier_wait(shared_.full + 8 * at_.slot, at_.parity);
    row_ = shared_.ring +
           (at_.slot * C::kTileTokens + 16 * (warp_ & 1) + key_of_row(lane_ >> 2)) * C::kPitch;
    at_.advance();
    at_.advance();
  }
  // Where chunk j of a block is: two by turns, and the last, whose successor is another first.
  static constexpr int place(int j) { return j + 1 == kChunks ? 2 : j % 2; }
  // Chunk j of the open block.
  __device__ __forceinline__ void load(int j) {
    const std::uint32_t from = shared_address(row_) + C::R::load_offset(j, lane_ & 3);
    const bool there = 4 * j < kLatentSteps || p_.rope != 0;
    x_[place(j)] = j + 1 < kChunks ? load_shared16(from) : load_shared16(from, there);
    y_[place(j)] = j + 1 < kChunks ? load_shared16(from + 8 * C::kPitch)
                                   : load_shared16(from + 8 * C::kPitch, there);
  }
  // Operands of mma group k. Codes are loaded a chunk ahead; of the next block, if there is
  // `another`, too. (If there is none they are of this one: a branch would wait for them.)
  __device__ __forceinline__ void convert(int k, bool another) {
#pragma unroll
    for (int u = 0; u < C::kScoreSteps; ++u) {
      const int step = C::kScoreSteps * k + u;
      const int chunk = step / 4;
      if (step % 4 == 0) {
        if (chunk + 1 == kChunks) open(another);
        load((chunk + 1) % kChunks);
      }
      std::uint32_t(&to)[4] = a_[k % kBuffers][u];
      e4m3_to_half(word(x_[place(chunk)], step % 4), to[0], to[2]);
      e4m3_to_half(word(y_[place(chunk)], step % 4), to[1], to[3]);
    }
  }

  // Block b's scores in log2 units, relative to the references; it is open and its first operands
  // are there. Does under(k) meanwhile.
  template <class Under>
  __device__ __forceinline__ void multiply(int b, bool another, Scores& relative,
                                           const Under& under) {
    // Made anew for each block: 36 operands are not worth registers.
    const std::uint64_t operand = swizzled_operand(uniform(shared_.queries));
    float2 references[C::kRowBlocks];  // of rows 8n + 2t, + 1
#pragma unroll
    for (int k = 0; k < kGroups; ++k) {
      wgmma_fence();
#pragma unroll
      for (int u = 0; u < C::kScoreSteps; ++u) {
        const int step = C::kScoreSteps * k + u;
        const std::uint64_t at =
            operand_ahead(operand, step / 4 * (C::kRows * 128) + 32 * (step % 4));
        if (step == 0)
          Wgmma<C::kRows>::template run<false>(scores_, a_[k % kBuffers][u], at);
        else
          Wgmma<C::kRows>::run(scores_, a_[k % kBuffers][u], at);
      }
      wgmma_commit();
      under(k);
      if (k + 2 == kGroups) {
#pragma unroll
        for (int n = 0; n < C::kRowBlocks; ++n) references[n] = load_shared8(reference_ + 32 * n);
      }
      wgmma_wait<kBuffers - 1>();
      convert((k + 1) % kGroups, another);
    }
    wgmma_wait<0>();
    hold(scores_);
    if (__builtin_expect(b >= whole_, 0)) mask(b);
#pragma unroll
    for (int i = 0; i < C::kRows / 2; ++i) {
      const float2 reference = references[i / 4];
      relative[i] = fmaf(scores_[i], p_.score_scale, (i & 1) != 0 ? -reference.y : -reference.x);
    }
  }

  // Slice k of what makes probabilities of a block's relative scores and sends them.
  __device__ __forceinline__ void soften(int k, Scores& scores, bool first, bool last) {
    if (k == 0) {
      float top[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
#pragma unroll
      for (int i = 0; i < C::kRows / 2; ++i) top[i % 4] = fmaxf(top[i % 4], scores[i]);
      top_ = fmaxf(fmaxf(top[0], top[1]), fmaxf(top[2], top[3]));
      mbarrier_wait(shared_.consumed + 8 * to_.slot, to_.parity ^ 1);
    }
    if (k == 1) {
      const bool moved =
          any_at_barrier(C::kScoreBarrier, C::kScoreThreads, first || top_ > kHeadroom);
      if (__builtin_expect(moved, 0)) raise(scores, first);
      if (thread() == 0) {
        shared_.news[to_.slot] = (moved && !first ? kRaised : 0) | (last ? kLast : 0);
        if (last) shared_.segment[to_.slot] = *shared_.scoring;
      }
      if (last && thread() < C::kRows) {
        shared_.maximum[to_.slot * C::kRows + thread()] = shared_.reference[thread()];
      }
    }
    if (k >= 2 && k < kPairs + 2) store(scores, 2 * (k - 2));
    if (k == kPairs + 2) send();
  }

  __device__ __forceinline__ void mask(int b) {
    const int lane = late(lane_);
    const int key = C::kBlockTokens * b + 16 * warp_ + key_of_row(lane >> 2);
#pragma unroll
    for (int i = 0; i < C::kRows / 2; ++i) {
      const int visible = shared_.visible[(i >> 2) * 8 + 2 * (lane & 3) + (i & 1)];
      if (key + 8 * (i >> 1 & 1) >= visible) scores_[i] = -INFINITY;
    }
  }

  // Probabilities of row blocks n and n + 1, as the B operand of the output.
  __device__ __forceinline__ void store(const Scores& scores, int n) {
    const std::uint32_t to = shared_.probabilities + to_.slot * C::kProbabilityBytes +
                             (8 * (lane_ >> 4) + (lane_ & 7)) * 128 +
                             (((2 * warp_ + (lane_ >> 3 & 1)) ^ (lane_ & 7)) << 4);
    std::uint32_t packed[4];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const float* s = scores + 4 * (n + k);
      packed[2 * k] = Half2::pack(exp2_approx(s[0]), exp2_approx(s[1]));
      packed[2 * k + 1] = Half2::pack(exp2_approx(s[2]), exp2_approx(s[3]));
    }
    store_transposed(to + n * 1024, packed[0], packed[1], packed[2], packed[3]);
  }

  // Moves the references up to the scores at hand, which are relative to them and stay so; the
  // first of a segment move them down, too.
  __device__ __forceinline__ void raise(Scores& scores, bool first) {
    const int lane = late(lane_);
    const int t = lane & 3;
    int tops[C::kRows / 4];
#pragma unroll
    for (int i = 0; i < C::kRows / 4; ++i) {
      float top = fmaxf(scores[i / 2 * 4 + (i & 1)], scores[i / 2 * 4 + 2 + (i & 1)]);
#pragma unroll
      for (int d = 4; d < 32; d <<= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
      tops[i] = ordered_bits(top);
    }
    if (lane < 4) {
#pragma unroll
      for (int i = 0; i < C::kRows / 4; ++i)
        atomicMax(shared_.highest + i / 2 * 8 + 2 * t + (i & 1), tops[i]);
    }
    barrier();
    const int row = 32 * warp_ + lane;
    if (row < C::kRows) {
      const float by = fmaxf(first ? -1e30f : 0.0f, from_ordered_bits(shared_.highest[row]));
      shared_.raised[row] = by;
      shared_.reference[row] += by;
      shared_.factors[to_.slot * C::kRows + row] = exp2_approx(-by);
      shared_.highest[row] = ordered_bits(-INFINITY);
    }
    barrier();
#pragma unroll
    for (int i = 0; i < C::kRows / 2; ++i) {
      scores[i] -= shared_.raised[(i >> 2) * 8 + 2 * t + (i & 1)];
    }
  }

  __device__ __forceinline__ void send() {
    fence_async_proxy();
    __syncwarp();
    warp_arrive(shared_.scored + 8 * to_.slot, lane_);
    to_.advance();
  }

  const AttentionParams& p_;
  const WgmmaShared<C>& shared_;
  int warp_, block_, lane_;
  int whole_ = 0;                      // blocks of the segment that all queries see all of
  RingPosition<C::kStages> at_;        // of the warp's tile of the block to open next
  RingPosition<C::kQueue> to_;         // of the block to send next
  std::uint32_t reference_;            // of the lane's first row
  const std::uint8_t* row_ = nullptr;  // the lane's first of the open block
  uint4 x_[3], y_[3];                  // its chunks by turns, and of the row 8 further
  float scores_[C::kRows / 2];         // being made
  std::uint32_t a_[kBuffers][C::kScoreSteps][4];  // being multiplied, and the next
  float top_ = 0.0f;                              // of the block's relative scores
};

#endif

}  // namespace bench::cuda
