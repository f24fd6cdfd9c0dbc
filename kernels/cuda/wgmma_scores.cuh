#pragma once

#include "kernels/cuda/merge_flagged.cuh"
#include "kernels/cuda/query_rows.cuh"
#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/tile_loader.cuh"
#include "kernels/cuda/wgmma.cuh"

// What the many-heads kernel is made of: its shared memory, and the steps from queries and keys to
// probabilities. See attention_wgmma.cuh.

namespace bench::cuda {

template <int Rows, int Stages>
struct WgmmaConfig {
  static constexpr PoolFormat kFormat = PoolFormat::e4m3;
  static constexpr int kPitch = default_pitch(kFormat);
  using R = Row<kFormat, kPitch>;
  static constexpr int kRows = Rows;
  static constexpr int kRowBlocks = Rows / 8;
  static constexpr int kTileTokens = 32;   // of the ring
  static constexpr int kBlockTokens = 64;  // of an mma: two tiles of the ring, always whole
  static constexpr int kStages = Stages;
  static constexpr int kGroups = 2;  // warpgroups that compute
  static constexpr int kGroupThreads = 128;
  static constexpr int kLoadWarps = 4;
  static constexpr int kTileLoaders = 2;  // of the load warps share a tile: fewer instructions
  static constexpr int kOutputWarps = 4 * kGroups;
  static constexpr int kMathThreads = 32 * kOutputWarps;
  static constexpr int kThreads = 32 * kLoadWarps + kMathThreads;
  static constexpr bool kBulk = true;
  static constexpr bool kWholeTiles = true;
  static constexpr int kBuffers = 3;     // of operands: being multiplied, and the next
  static constexpr int kScoreSteps = 2;  // that are multiplied as one
  static constexpr int kLoadRegisters = 40;
  static constexpr int kMathRegisters = 232;
  // Named barriers; the start has 3, the groups have kGroupBarrier and those that follow.
  static constexpr int kMathBarrier = 5;
  static constexpr int kGroupBarrier = 8;

  // An output warp's latents, and its m-tiles of 16 of them.
  static constexpr int kLatentsPerWarp = kLatent / kOutputWarps;
  static constexpr int kTiles = kLatentsPerWarp / 16;
  static constexpr int kQuads = kTiles / 2;
  static_assert(kQuads == 2);
  static constexpr int kPartItems = kRows * kLatent / 8;  // see merge_flagged.cuh
  // First of the four neighbouring columns that m-tiles 2q and 2q + 1 of an output warp's lane
  // hold.
  static __device__ __forceinline__ int column(int q, int warp, int g) {
    return kLatentsPerWarp * warp + 4 * kQuads * g + 4 * q;
  }

  static constexpr int kQueryBytes = Rows * kSteps * 32;
  static constexpr int kProbabilityBytes = Rows * 128;
  static constexpr int kRowFloats = Rows * (4 + kGroups);
  static constexpr int kBarriers = 2 * Stages + 3 * kGroups;
  static constexpr int kSharedBytes = kQueryBytes + kGroups * kProbabilityBytes +
                                      Stages * kTileTokens * kPitch + 4 * kRowFloats +
                                      8 * kBarriers + 112;
};

template <class C>
struct WgmmaShared {
  std::uint32_t queries;        // [step / 4][row][64 columns] f16, swizzled
  std::uint32_t probabilities;  // [group][row][64 keys] f16, swizzled
  std::uint8_t* ring;
  float* reference;  // [row] what probabilities are relative to, log2 units
  int* highest;      // [row] ordered_bits() of a new maximum
  float* sums;       // [row]
  float* factors;    // [group][row] what brings sums to the reference as its block moved it
  float* raised;     // [row] how far the reference has just moved
  std::uint32_t full, empty, related, scored, consumed;  // barriers
  Share* share;
  std::uint32_t* launch;
  volatile int* moved;  // [group] whether its block moved the reference
  Segment* segment;     // being worked on

  __device__ explicit WgmmaShared(std::uint8_t* base) {
    queries = shared_address(base);
    base += C::kQueryBytes;
    probabilities = shared_address(base);
    base += C::kGroups * C::kProbabilityBytes;
    ring = base;
    base += C::kStages * C::kTileTokens * C::kPitch;
    reference = reinterpret_cast<float*>(base);
    highest = reinterpret_cast<int*>(reference + C::kRows);
    sums = reference + 2 * C::kRows;
    factors = sums + C::kRows;
    raised = factors + C::kGroups * C::kRows;
    base += 4 * C::kRowFloats;
    full = shared_address(base);
    empty = full + 8 * C::kStages;
    related = empty + 8 * C::kStages;
    scored = related + 8 * C::kGroups;
    consumed = scored + 8 * C::kGroups;
    base += 8 * C::kBarriers;
    share = reinterpret_cast<Share*>(base);
    launch = reinterpret_cast<std::uint32_t*>(base + 48);
    moved = reinterpret_cast<volatile int*>(base + 56);
    segment = reinterpret_cast<Segment*>(base + 56 + 4 * C::kGroups);
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

// The queries of a request to shared memory as the B operand, columns in the order of the steps. A
// thread takes eight neighbouring columns, which go to four 16-byte chunks of four lanes' pairs.
// `ready` waits until the queries there are done with. By all groups.
template <class C, class Ready>
__device__ __forceinline__ void stage_queries(const AttentionParams& p, std::uint32_t queries,
                                              int request, int block, int thread,
                                              const Ready& ready) {
  constexpr int kPieces = C::kRows * 2 * kSteps;
  constexpr int kEach = (kPieces + C::kMathThreads - 1) / C::kMathThreads;
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
  const auto row_of = [&](int i) { return (thread + i * C::kMathThreads) / 8 % C::kRows; };
  const auto load_of = [&](int i) { return (thread + i * C::kMathThreads) / (8 * C::kRows); };
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
      if (thread + (first + i) * C::kMathThreads >= kPieces) break;
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

// scores = 64 keys x queries; `row` is the lane's place in the warp's 16 rows.
template <class C>
__device__ __forceinline__ void score_keys(const std::uint8_t* row, std::uint32_t queries,
                                           bool rope, int t, float (&scores)[C::kRows / 2]) {
  using R = typename C::R;
  // In groups of steps: the operands of the next are converted under the mma of this one.
  constexpr int kGroups = kSteps / C::kScoreSteps;
  std::uint32_t a[C::kBuffers][C::kScoreSteps][4];
  uint4 x = shared_load16(row + R::load_offset(0, t));
  uint4 y = shared_load16(row + R::load_offset(0, t) + 8 * C::kPitch);
  const auto convert = [&](int k) {
#pragma unroll
    for (int u = 0; u < C::kScoreSteps; ++u) {
      const int step = C::kScoreSteps * k + u;
      std::uint32_t(&to)[4] = a[k % C::kBuffers][u];
      e4m3_to_half(word(x, step % 4), to[0], to[2]);
      e4m3_to_half(word(y, step % 4), to[1], to[3]);
      if (step % 4 == 3 && step + 1 < kSteps) {
        const bool there = step + 1 < kLatentSteps || rope;
        const std::uint8_t* from = row + R::load_offset((step + 1) / 4, t);
        x = there ? shared_load16(from) : uint4{0, 0, 0, 0};
        y = there ? shared_load16(from + 8 * C::kPitch) : uint4{0, 0, 0, 0};
      }
    }
  };
#pragma unroll
  for (int i = 0; i < C::kRows / 2; ++i) scores[i] = 0.0f;
  hold(scores);
  const std::uint64_t operand = swizzled_operand(queries);
  convert(0);
#pragma unroll
  for (int k = 0; k < kGroups; ++k) {
    wgmma_wait<C::kBuffers - 2>();
    wgmma_fence();
#pragma unroll
    for (int u = 0; u < C::kScoreSteps; ++u) {
      const int step = C::kScoreSteps * k + u;
      Wgmma<C::kRows>::run(scores, a[k % C::kBuffers][u],
                           operand_ahead(operand, step / 4 * (C::kRows * 128) + 32 * (step % 4)));
    }
    wgmma_commit();
    if (k + 1 < kGroups) convert(k + 1);
  }
  wgmma_wait<0>();
  hold(scores);
}

// Moves the references up to the scores at hand, which are relative to them and stay so; the first
// of a segment move them down, too. By the group that has the scores.
template <class C>
__device__ __forceinline__ void raise_references(const WgmmaShared<C>& shared,
                                                 float (&scores)[C::kRows / 2], bool first,
                                                 int group, int thread) {
  const int g = (thread & 31) >> 2;
  const int t = thread & 3;
#pragma unroll
  for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float top = fmaxf(scores[4 * n + e], scores[4 * n + 2 + e]);
#pragma unroll
      for (int d = 4; d < 32; d <<= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
      if (g == 0) atomicMax(shared.highest + 8 * n + 2 * t + e, ordered_bits(top));
    }
  }
  named_barrier(C::kGroupBarrier + group, C::kGroupThreads);
  float* by = shared.raised;
  if (thread < C::kRows) {
    by[thread] = fmaxf(first ? -1e30f : 0.0f, from_ordered_bits(shared.highest[thread]));
    shared.reference[thread] += by[thread];
    shared.factors[group * C::kRows + thread] = first ? 1.0f : exp2_approx(-by[thread]);
    shared.highest[thread] = ordered_bits(-INFINITY);
  }
  named_barrier(C::kGroupBarrier + group, C::kGroupThreads);
#pragma unroll
  for (int i = 0; i < C::kRows / 2; ++i) scores[i] -= by[(i >> 2) * 8 + 2 * t + (i & 1)];
}

// Scores of row blocks n and n + 1, relative to the references, to probabilities, stored as the B
// operand of the output.
template <class C>
__device__ __forceinline__ void store_probabilities(std::uint32_t probabilities,
                                                    const float (&scores)[C::kRows / 2], int n,
                                                    int warp) {
  const int lane = threadIdx.x & 31;
  const std::uint32_t to = probabilities + (8 * (lane >> 4) + (lane & 7)) * 128 +
                           (((2 * warp + (lane >> 3 & 1)) ^ (lane & 7)) << 4);
  std::uint32_t packed[4];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const float* s = scores + 4 * (n + k);
    packed[2 * k] = Half2::pack(exp2_approx(s[0]), exp2_approx(s[1]));
    packed[2 * k + 1] = Half2::pack(exp2_approx(s[2]), exp2_approx(s[3]));
  }
  store_transposed(to + n * 1024, packed[0], packed[1], packed[2], packed[3]);
}

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

#endif

}  // namespace bench::cuda
