#pragma once

#include "kernels/cuda/work_split.cuh"

// The load warps of the attention kernels: rows of the pool, wherever the page table says they lie,
// to a ring of tiles in shared memory, as they are. C says the format, the tile and the ring.

namespace bench::cuda {

// A position in a ring of N slots with the parity of its barrier's phase.
template <int N>
struct RingPosition {
  int slot = 0;
  std::uint32_t parity = 0;
  __device__ __forceinline__ void advance() {
    if (++slot == N) {
      slot = 0;
      parity ^= 1;
    }
  }
};

// A load warp's tiles of a share, with the slots of its rows looked up ahead. kTileLoaders warps
// share a tile, and such teams take tiles by turns.
template <class C>
class TileLoader {
 public:
  static constexpr int kRowsPerWarp = C::kTileTokens / C::kTileLoaders;
  static constexpr int kTeams = C::kLoadWarps / C::kTileLoaders;

  __device__ TileLoader(const AttentionParams& p, const Share& share, int warp)
      : p_(p),
        segments_(p, share),
        row_(kRowsPerWarp * (warp % C::kTileLoaders) + (threadIdx.x & (kRowsPerWarp - 1))) {
    more_ = segments_.next(segment_);
    token_ = more_ ? segment_.begin : 0;
    if (more_) pages_ = p.pages + __ldg(p.page_offsets + segment_.request);
    for (int i = 0; i < warp / C::kTileLoaders; ++i) advance();
  }

  struct Tile {
    int page;  // of this lane's row; not looked at until it is copied, so that its load can wait
    int token;
    int blocks;   // 16-key blocks in use; 0: no tile
    bool is_new;  // holds rows that a kernel before this one may still be writing
  };

  __device__ __forceinline__ Tile next() {
    Tile tile{0, 0, 0, false};
    if (!more_) return tile;
    const int end = min(token_ + C::kTileTokens, segment_.end);
    tile.blocks = C::kWholeTiles ? C::kTileTokens / 16 : (end - token_ + 15) >> 4;
    tile.is_new = end > segment_.context - p_.query_tokens;
    // Rows past the end repeat the last: what they hold must be a number, and nothing more.
    tile.token = min(token_ + row_, segment_.end - 1);
    tile.page = __ldg(pages_ + (tile.token >> p_.page_shift));
#pragma unroll
    for (int i = 0; i < kTeams; ++i) advance();
    return tile;
  }

 private:
  __device__ __forceinline__ void advance() {
    if (!more_) return;
    token_ += C::kTileTokens;
    if (token_ < segment_.end ||
        (C::kWholeTiles && (token_ - segment_.begin) % C::kBlockTokens != 0)) {
      return;
    }
    more_ = segments_.next(segment_);
    if (!more_) return;
    token_ = segment_.begin;
    pages_ = p_.pages + __ldg(p_.page_offsets + segment_.request);
  }

  const AttentionParams& p_;
  Segments segments_;
  Segment segment_;
  const std::int32_t* pages_ = nullptr;
  int token_;
  int row_;
  bool more_;
};

// This warp's rows of a tile on their way to shared memory. The copy engine signals the barrier
// itself; cp.async has to be waited for (see load_tiles).
template <class C>
__device__ __forceinline__ void copy_rows(const AttentionParams& p, int slot, int blocks,
                                          std::uint32_t to, std::uint32_t barrier, int warp,
                                          std::uint64_t policy) {
  constexpr int kRowsPerWarp = TileLoader<C>::kRowsPerWarp;
  const int lane = threadIdx.x & 31;
  const bool used = kRowsPerWarp * warp < 16 * blocks;
  const auto bytes = static_cast<std::uint32_t>(C::R::bytes(p.rope));
  const auto* pool = static_cast<const std::uint8_t*>(p.pool);
  if constexpr (C::kBulk) {
    if (used && lane == 0) {
      mbarrier_expect(barrier, kRowsPerWarp * bytes);
    } else {
      warp_arrive(barrier, lane);
    }
    __syncwarp();
    if (used && lane < kRowsPerWarp) {
      bulk_copy(to + (kRowsPerWarp * warp + lane) * C::kPitch,
                pool + static_cast<std::int64_t>(slot) * p.row_stride, bytes, barrier, policy);
    }
  } else {
    if (used) {
#pragma unroll
      for (int row = 0; row < kRowsPerWarp; ++row) {
        const auto* from = pool +
                           static_cast<std::int64_t>(__shfl_sync(~0u, slot, row)) * p.row_stride +
                           16 * lane;
        const std::uint32_t at = to + (kRowsPerWarp * warp + row) * C::kPitch + 16 * lane;
#pragma unroll
        for (std::uint32_t byte = 0; byte < C::kPitch; byte += 512) {
          if (byte + 16 * lane < bytes) cp_async16(at + byte, from + byte);
        }
      }
    }
    cp_async_commit();
  }
}

template <class C, class Shared>
__device__ __forceinline__ Share load_tiles(const AttentionParams& p, const Shared& shared,
                                            int group, int warp) {
  const std::uint64_t policy = p.row_blocks == 1 ? evict_first_policy() : evict_normal_policy();
  const Share share = find_share(p, group, gridDim.x / p.row_blocks);
  if (threadIdx.x == 0) *shared.share = share;
  TileLoader<C> loader(p, share, warp);
  RingPosition<C::kStages> at;
  for (int i = 0; i < warp / C::kTileLoaders; ++i) at.advance();
  std::uint32_t unsignalled = 0;
  bool waited = p.old_rows_are_there == 0;
  auto tile = loader.next();
  auto ahead1 = loader.next();
  auto ahead2 = loader.next();
  named_barrier(3, C::kThreads);
  while (tile.blocks > 0) {
    if (tile.is_new && !waited) {
      wait_for_previous_kernel();
      waited = true;
    }
    mbarrier_wait(shared.empty + 8 * at.slot, at.parity ^ 1);
    const int slot = (tile.page << p.page_shift) + (tile.token & ((1 << p.page_shift) - 1));
    copy_rows<C>(p, slot, tile.blocks,
                 shared_address(shared.ring) + at.slot * C::kTileTokens * C::kPitch,
                 shared.full + 8 * at.slot, warp % C::kTileLoaders, policy);
    if constexpr (!C::kBulk) {
      // The tile before has landed when only this one is on its way.
      if (unsignalled != 0) {
        cp_async_wait<1>();
        __syncwarp();
        warp_arrive(unsignalled, threadIdx.x & 31);
      }
      unsignalled = shared.full + 8 * at.slot;
    }
#pragma unroll
    for (int i = 0; i < TileLoader<C>::kTeams; ++i) at.advance();
    tile = ahead1;
    ahead1 = ahead2;
    ahead2 = loader.next();
  }
  if constexpr (!C::kBulk) {
    if (unsignalled != 0) {
      cp_async_wait<0>();
      __syncwarp();
      warp_arrive(unsignalled, threadIdx.x & 31);
    }
  }
  return share;
}

}  // namespace bench::cuda
