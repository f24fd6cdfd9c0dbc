#pragma once

#include "kernels/cuda/merge_flagged.cuh"
#include "kernels/cuda/query_rows.cuh"
#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/tile_loader.cuh"
#include "kernels/cuda/wgmma.cuh"

// The shape of a many-heads kernel, and its shared memory. See attention_wgmma.cuh.

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
  static constexpr int kBlockTiles = kBlockTokens / kTileTokens;
  static constexpr int kStages = Stages;
  static constexpr int kLoadWarps = 4;
  static constexpr int kTileLoaders = 2;  // of the load warps share a tile: fewer instructions
  static constexpr int kScoreWarps = 4;   // a warpgroup
  static constexpr int kScoreThreads = 32 * kScoreWarps;
  static constexpr int kOutputWarps = 8;  // two warpgroups, each with half of the latents
  static constexpr int kMathThreads = 32 * kOutputWarps;
  static constexpr int kScoreAndMathThreads = kScoreThreads + kMathThreads;
  static constexpr int kThreads = 32 * kLoadWarps + kScoreAndMathThreads;
  static constexpr bool kBulk = true;
  static constexpr bool kWholeTiles = true;
  static constexpr int kScoreSteps =
      Rows > 32 ? 3 : 6;            // multiplied as one: registers allow no more
  static constexpr int kQueue = 2;  // blocks of probabilities on their way to the output warps
  static constexpr int kLoadRegisters = 24;
  static constexpr int kScoreRegisters = 136;
  static constexpr int kOutputRegisters = 176;
  // Named barriers; the start has 3.
  static constexpr int kFirstBarrier = 4;
  static constexpr int kMathBarrier = 5;
  static constexpr int kScoreBarrier = 6;

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
  static constexpr int kRowFloats = Rows * (4 + 3 * kQueue);
  static constexpr int kBarriers = 2 * Stages + 2 * kQueue;
  static constexpr int kSharedBytes = kQueryBytes + kQueue * kProbabilityBytes +
                                      Stages * kTileTokens * kPitch + 4 * kRowFloats +
                                      8 * kBarriers + 88 + 32 * kQueue;
};

// What the score warps tell the output warps with a block of probabilities.
enum WgmmaNews : int {
  kRaised = 1,  // the references moved: outputs are to be scaled
  kLast = 2,    // of a segment
  kDone = 4,    // no block, and none will follow
};

template <class C>
struct WgmmaShared {
  std::uint32_t queries;        // [step / 4][row][64 columns] f16, swizzled
  std::uint32_t probabilities;  // [queue][row][64 keys] f16, swizzled
  std::uint8_t* ring;
  float* reference;  // [row] what probabilities are relative to, log2 units
  int* highest;      // [row] ordered_bits() of a new maximum
  float* raised;     // [row] how far the reference has just moved
  int* visible;      // [row] tokens of the segment that its query sees
  float* factors;    // [queue][row] what brings outputs to the references of a block
  float* sums;       // [queue][row] of the segment that ends with a block
  float* maximum;    // [queue][row] which its probabilities are relative to
  std::uint32_t full, empty, scored, consumed;  // barriers
  Share* share;
  std::uint32_t* launch;
  volatile int* news;  // [queue]
  Segment* segment;    // [queue] that a block belongs to, where it is the last
  Segment* scoring;    // that the score warps are at

  __device__ explicit WgmmaShared(std::uint8_t* base) {
    queries = shared_address(base);
    base += C::kQueryBytes;
    probabilities = shared_address(base);
    base += C::kQueue * C::kProbabilityBytes;
    ring = base;
    base += C::kStages * C::kTileTokens * C::kPitch;
    reference = reinterpret_cast<float*>(base);
    highest = reinterpret_cast<int*>(reference + C::kRows);
    raised = reference + 2 * C::kRows;
    visible = reinterpret_cast<int*>(raised + C::kRows);
    factors = raised + 2 * C::kRows;
    sums = factors + C::kQueue * C::kRows;
    maximum = sums + C::kQueue * C::kRows;
    base += 4 * C::kRowFloats;
    full = shared_address(base);
    empty = full + 8 * C::kStages;
    scored = empty + 8 * C::kStages;
    consumed = scored + 8 * C::kQueue;
    base += 8 * C::kBarriers;
    share = reinterpret_cast<Share*>(base);
    launch = reinterpret_cast<std::uint32_t*>(base + 48);
    news = reinterpret_cast<volatile int*>(base + 56);
    segment = reinterpret_cast<Segment*>(base + 56 + 4 * C::kQueue);
    scoring = segment + C::kQueue;
  }
};

}  // namespace bench::cuda
