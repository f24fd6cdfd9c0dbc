#pragma once

#include "kernels/cuda/ptx.cuh"
#include "kernels/pool_format.h"

// How a row of each pool format lies in shared memory and how the tensor cores' operands are cut
// from it. A lane (g, t) of mma m16n8k16 needs column pairs {2t, 2t+1, 2t+8, 2t+9} of the keys g
// and g + 8 for the scores, and pairs of keys of one column for the output. Neither order of
// summation matters, so both are permuted until accesses are conflict-free 16-byte loads:
// - scores: a lane owns 16-byte chunks of a row, and the queries' columns are permuted to match;
// - output: a lane holds neighbouring columns of four keys and pairs them with PRMT.
// With a pitch of 2 or 6 (mod 8) chunks both are free of conflicts, a lane's chunks being {0, 1, 4,
// 5} by turns. With 4 (mod 8) the chunks are {0, 1, 2, 3} and output loads conflict in pairs, but
// the copy engine likes the alignment better. It likes 0 (mod 8) best: then all rows begin in the
// same bank, and neighbours (odd keys in the scores, odd t in the output) take two chunks that they
// need anyway in the other order, so that output loads conflict in pairs again.

namespace bench::cuda {

// The key of a 16-key block that row g (of 8) of the score matrix stands for; g + 8 is 8 further.
__device__ __forceinline__ int key_of_row(int g) {
  return (g & 1) != 0 ? 4 + (((g >> 1) + 1) & 3) : g >> 1;
}
inline constexpr int kLatentSteps = 32;  // of 16 columns
inline constexpr int kSteps = 36;        // with rope

// Which 16-byte chunks of a row lane t takes in load j of the scores.
template <int Pitch>
struct Chunks {
  static constexpr bool kSpread = Pitch / 16 % 4 == 2;
  static constexpr bool kLines = Pitch % 128 == 0;  // whether rows begin on lines
  static_assert(kSpread || kLines || Pitch / 16 % 8 == 4);
  static __device__ __forceinline__ int lane(int t) { return kSpread ? (t & 1) + 4 * (t >> 1) : t; }
  static __device__ __forceinline__ int load(int j) {
    return kSpread ? (j >> 1) * 8 + (j & 1) * 2 : 4 * j;
  }
  static __device__ __forceinline__ int lane_of(int chunk) {
    return kSpread ? (chunk & 1) + ((chunk >> 1) & 2) : chunk & 3;
  }
  static __device__ __forceinline__ int load_of(int chunk) {
    return kSpread ? (chunk >> 3) * 2 + ((chunk >> 1) & 1) : chunk >> 2;
  }
};

template <PoolFormat F, int Pitch>
struct Row;

template <int Pitch>
struct Row<PoolFormat::e4m3, Pitch> {
  static_assert(!Chunks<Pitch>::kLines);
  using Element = Half2;
  static constexpr bool kCodes = true;
  static constexpr int kStepsPerLoad = 4;  // columns of a 16-byte chunk over 4
  static __device__ __forceinline__ int bytes(int rope) { return 512 + rope; }
  // Byte of lane t's load j (of 8, or 9 with rope).
  static __device__ __forceinline__ int load_offset(int j, int t) {
    return 16 * (j < 8 ? Chunks<Pitch>::load(j) + Chunks<Pitch>::lane(t) : 32 + t);
  }
};

template <int Pitch>
struct Row<PoolFormat::bf16, Pitch> {
  using Element = Bfloat2;
  static constexpr bool kCodes = false;
  static constexpr int kStepsPerLoad = 2;
  static __device__ __forceinline__ int bytes(int rope) { return 2 * (512 + rope); }
  static __device__ __forceinline__ int load_offset(int j, int t) {
    return 16 * (Chunks<Pitch>::load(j) + Chunks<Pitch>::lane(t));
  }
};

template <int Pitch>
struct Row<PoolFormat::ds_mla656, Pitch> {
  static_assert(!Chunks<Pitch>::kLines);
  using Element = Half2;
  static constexpr bool kCodes = true;
  static constexpr int kStepsPerLoad = 4;
  static constexpr int kScales = 512;  // byte of the four scales, one for 128 columns each
  static constexpr int kRope = 528;    // byte of the rope columns, bf16
  static __device__ __forceinline__ int bytes(int rope) { return 528 + 2 * rope; }
  static __device__ __forceinline__ int load_offset(int j, int t) {
    return 16 * (Chunks<Pitch>::load(j) + Chunks<Pitch>::lane(t));
  }
};

constexpr int default_pitch(PoolFormat f) {
  return f == PoolFormat::e4m3 ? 608 : f == PoolFormat::bf16 ? 1184 : 672;
}

// Whose operands eight neighbouring query columns are: those of lanes t, in two successive steps.
struct QueryPlace {
  int step, t;
};
template <PoolFormat F, int Pitch>
__device__ __forceinline__ QueryPlace query_place(int column8) {
  using R = Row<F, Pitch>;
  int chunk = R::kCodes ? column8 >> 1 : column8;
  int step = R::kCodes ? (column8 & 1) * 2 : 0;
  if (F == PoolFormat::e4m3 && column8 >= 64) return {kLatentSteps + step, chunk - 32};
  int steps_a_chunk = R::kStepsPerLoad;
  if (F == PoolFormat::ds_mla656 && column8 >= 64) {
    chunk = column8 - 64;
    step = kLatentSteps;
    steps_a_chunk = 2;
  }
  return {step + Chunks<Pitch>::load_of(chunk) * steps_a_chunk, Chunks<Pitch>::lane_of(chunk)};
}

// Four bf16 queries as the mma takes them.
template <PoolFormat F>
__device__ __forceinline__ uint2 query_operand(bool rope, std::uint32_t x, std::uint32_t y) {
  if (F == PoolFormat::bf16 || (F == PoolFormat::ds_mla656 && rope)) return {x, y};
  return {bfloat2_to_half2(x), bfloat2_to_half2(y)};
}

__device__ __forceinline__ uint4 shared_load16(const std::uint8_t* at) {
  return *reinterpret_cast<const uint4*>(at);
}
__device__ __forceinline__ std::uint32_t word(const uint4& v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
// Chunks at `row` and `distance` bytes further, the second read first where `swap`.
__device__ __forceinline__ void shared_load16_pair(const std::uint8_t* row, int distance, bool swap,
                                                   uint4& low, uint4& high) {
  const uint4 first = shared_load16(row + (swap ? distance : 0));
  const uint4 second = shared_load16(row + (swap ? 0 : distance));
  low = {swap ? second.x : first.x, swap ? second.y : first.y, swap ? second.z : first.z,
         swap ? second.w : first.w};
  high = {swap ? first.x : second.x, swap ? first.y : second.y, swap ? first.z : second.z,
          swap ? first.w : second.w};
}

}  // namespace bench::cuda
