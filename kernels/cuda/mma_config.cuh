#pragma once

#include <algorithm>

#include "kernels/cuda/merge.cuh"
#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/tile_loader.cuh"

// The shape of an mma.sync attention kernel, and its shared memory. See attention_mma.cuh.

namespace bench::cuda {

struct MmaTraits {
  PoolFormat format;
  int row_blocks;   // of 8 query rows
  int tile_blocks;  // 16-key blocks of a tile
  int stages;       // tiles of the ring
  int score_warps;
  int output_warps;
  bool bulk;             // whether the copy engine moves the rows
  int score_blocks = 1;  // 16-key blocks a score warp takes at once
  int tile_loaders = 4;  // load warps that share a tile
  int pitch = 0;         // 0: the format's
};

template <MmaTraits T>
struct MmaConfig {
  static constexpr PoolFormat kFormat = T.format;
  static constexpr int kPitch = T.pitch != 0 ? T.pitch : default_pitch(T.format);
  using R = Row<kFormat, kPitch>;
  using Element = typename R::Element;
  static constexpr bool kLines = Chunks<kPitch>::kLines;
  static constexpr int kRowBlocks = T.row_blocks;
  static constexpr int kRows = 8 * kRowBlocks;
  static constexpr int kTileBlocks = T.tile_blocks;
  static constexpr int kTileTokens = 16 * kTileBlocks;
  static constexpr int kStages = T.stages;
  static constexpr int kLoadWarps = 4;
  static constexpr int kTileLoaders = T.tile_loaders;  // of the load warps share a tile
  static constexpr int kScoreWarps = T.score_warps;
  static constexpr int kOutputWarps = T.output_warps;
  static constexpr int kScoreBlocks = T.score_blocks;
  static constexpr int kWarpsPerTile = kTileBlocks / kScoreBlocks;
  static constexpr int kScoreGroups = kScoreWarps / kWarpsPerTile;  // tiles in turn
  static constexpr int kLatentsPerWarp = kLatent / kOutputWarps;
  static_assert(!kLines || kLatentsPerWarp == 128, "an output lane takes two chunks of a row");
  static constexpr int kThreads = 32 * (kLoadWarps + kScoreWarps + kOutputWarps);
  static constexpr int kMergeThreads = 32 * (kLoadWarps + kScoreWarps);
  static constexpr bool kBulk = T.bulk;
  static constexpr bool kWholeTiles = false;
  static constexpr int kBlockTokens = kTileTokens;
  // A score warp waits for its own tiles only, and a barrier's parity cannot tell one use of a slot
  // from the next but one: whoever waits for a tile must know that the slot's last one had come.
  // It does where that tile was its own, or was used up before its own last tile found room.
  // The slots of the probabilities ask the same.
  static constexpr int kProbabilityTiles =
      std::min(kBulk ? 4 : 2, kStages % kScoreGroups == 0 ? kStages : kStages - kScoreGroups);
  static_assert(kProbabilityTiles >= kScoreGroups);
  // BF16 keeps too few bits of a probability: what it drops goes along as a second operand.
  static constexpr int kHalves = kFormat == PoolFormat::bf16 ? 2 : 1;

  // The order of the accumulators in memory, in items of four columns: [row
  // half][quad][warp][lane].
  static constexpr int kQuads = kLatentsPerWarp / 32;
  static __device__ __forceinline__ int row_of(int item) {
    const int half = item / (32 * kOutputWarps * kQuads);
    return 8 * (half >> 1) + 2 * (item & 3) + (half & 1);
  }
  static __device__ __forceinline__ int column_of(int item) {
    return column(item / (32 * kOutputWarps) % kQuads, item / 32 % kOutputWarps, item / 4 % 8);
  }
  // First of the four neighbouring columns that m-tiles 2q and 2q + 1 of an output warp's lane
  // hold.
  static __device__ __forceinline__ int column(int q, int warp, int g) {
    const int base = warp * kLatentsPerWarp;
    if constexpr (R::kCodes || kLines) return base + g * (4 * kQuads) + 4 * q;
    return base + (q >> 1) * 64 + 8 * g + 4 * (q & 1);
  }

  static constexpr int kProbabilityBytes =
      kProbabilityTiles * kTileBlocks * kRowBlocks * kHalves * 256;
  static constexpr int kMaximumBytes = kProbabilityTiles * kRowBlocks * 8 * 16;
  static constexpr int kQueryBytes = kSteps * 32 * 8 * kRowBlocks;
  static constexpr int kBarriers = 2 * kStages + 2 * kProbabilityTiles;
  static constexpr int kSharedBytes = kStages * kTileTokens * kPitch + kProbabilityBytes +
                                      kMaximumBytes + kQueryBytes + kBarriers * 8 + 64;
};

// Views of the CTA's shared memory.
template <class C>
struct MmaShared {
  std::uint8_t* ring;
  uint2* probabilities;  // [tile][row block][16-key block][half][lane]
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

}  // namespace bench::cuda
