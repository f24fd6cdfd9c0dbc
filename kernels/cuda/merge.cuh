#pragma once

#include <bit>

#include "kernels/cuda/work_split.cuh"

// Split requests. Each CTA leaves its part of the output, relative to its own maximum, in memory.
// Of up to few_parts parts the CTA with the first (it comes to it last of all its work) merges the
// others into its registers; they are free for the next kernel at once. Of more, many CTAs merge a
// slice of the columns each. No kernel of its own, and no order that depends on timing: the same
// parts are always added in the same order. No fence, flag or counter either: a reader polls the
// data itself. A part's words are kNothing until written, and whoever reads them (exactly one CTA)
// puts kNothing back; a row's statistics, which many read, carry the number of the launch. Waiting
// is safe because the grid never exceeds what is resident at once.

namespace bench::cuda {

inline constexpr int kLatent = 512;
inline constexpr std::uint32_t kNothing = 0xffffffffu;  // a NaN that no arithmetic makes

__device__ __forceinline__ int part_slot(int group, int first_group, int row_blocks, int block) {
  return 2 * (group * row_blocks + block) + (group == first_group ? 1 : 0);
}

// The number of this launch on this workspace, from 1: the upper half of a counter that each of
// `ctas` CTAs adds to and whose lower half is zero between launches. After the previous kernel.
__device__ __forceinline__ std::uint32_t launch_number(unsigned long long* clock, int cta,
                                                       int ctas) {
  const unsigned long long add = cta == 0 ? (1ULL << 32) - static_cast<unsigned>(ctas - 1) : 1ULL;
  return static_cast<std::uint32_t>(atomicAdd(clock, add) >> 32) + 1;
}

__device__ __forceinline__ bool arrived(const uint4& v) {
  return v.x != kNothing && v.y != kNothing && v.z != kNothing && v.w != kNothing;
}

// A row's maximum (log2 units) and sum in a part, each in one 8-byte word with the launch's number.
__device__ __forceinline__ void store_stats(uint4* at, float maximum, float sum,
                                            std::uint32_t launch) {
  store_relaxed(at, {__float_as_uint(maximum), launch, __float_as_uint(sum), launch});
}
__device__ __forceinline__ bool is_of(const uint4& stats, std::uint32_t launch) {
  return stats.y == launch && stats.w == launch;
}

__device__ __forceinline__ void store_output(const AttentionParams& p, std::int64_t row, int column,
                                             float4 v, float scale) {
  const uint2 packed = {Bfloat2::pack(v.x * scale, v.y * scale),
                        Bfloat2::pack(v.z * scale, v.w * scale)};
  *reinterpret_cast<uint2*>(p.output + row * kLatent + column) = packed;
}
// What turns a sum of v exp2(s - maximum) into the output.
template <class C>
__device__ __forceinline__ float output_scale(const AttentionParams& p, float sum) {
  return __fdividef(C::R::kCodes ? p.v_scale * kE4m3Unit : p.v_scale, sum);
}
__device__ __forceinline__ float natural_lse(float maximum, float sum) {
  return 0.69314718f * (maximum + __log2f(sum));
}

// What a warp holds of a finished segment: for each of its lane's query rows 8n + 2t + e (row half
// 2n + e) the maximum and sum, and the output not yet divided by the sum.
template <class C>
struct RowTotals {
  float maximum[C::kRowBlocks][2];
  float sum[C::kRowBlocks][2];
};

// Writes a finished segment: the output itself where `whole`, else this CTA's part of it.
// columns(n, q, e): four neighbouring columns.
template <class C, class Columns>
__device__ __forceinline__ void store_segment(const AttentionParams& p, int request, int slot,
                                              bool whole, std::uint32_t launch,
                                              const RowTotals<C>& totals, const Columns& columns,
                                              int warp, int block) {
  const int lane = threadIdx.x & 31;
  const int g = lane >> 2;
  const int t = lane & 3;
  const int total_rows = p.heads * p.query_tokens;
  uint4* part = p.parts + static_cast<std::int64_t>(slot) * (C::kRows * kLatent / 4);
#pragma unroll
  for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int local = 8 * n + 2 * t + e;
      const int row = block * C::kRows + local;
      const std::int64_t out = static_cast<std::int64_t>(request) * total_rows + row;
      const float scale = output_scale<C>(p, totals.sum[n][e]);
#pragma unroll
      for (int q = 0; q < C::kQuads; ++q) {
        const float4 v = columns(n, q, e);
        if (!whole) {
          store_relaxed(part + (((2 * n + e) * C::kQuads + q) * C::kOutputWarps + warp) * 32 + lane,
                        {__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                         __float_as_uint(v.w)});
        } else if (row < total_rows) {
          store_output(p, out, C::column(q, warp, g), v, scale);
        }
      }
      if (warp == 0 && g == 0) {
        const float maximum = totals.maximum[n][e];
        if (!whole)
          store_stats(p.stats + slot * C::kRows + local, maximum, totals.sum[n][e], launch);
        else if (row < total_rows)
          p.lse[out] = natural_lse(maximum, totals.sum[n][e]);
      }
    }
  }
}

// Four columns of a row on their way to becoming output: a sum of parts, each relative to a maximum
// of its own.
struct Merging {
  float top = -1e30f;
  float sum = 0.0f;
  float4 value = {0.0f, 0.0f, 0.0f, 0.0f};

  __device__ __forceinline__ void raise(float to) {
    const float scale = exp2_approx(top - to);
    top = to;
    sum *= scale;
    value = {value.x * scale, value.y * scale, value.z * scale, value.w * scale};
  }
  // Of something no higher than `top`.
  __device__ __forceinline__ void add(const float4& v, float maximum, float their_sum) {
    const float scale = exp2_approx(maximum - top);
    sum += their_sum * scale;
    value.x += v.x * scale;
    value.y += v.y * scale;
    value.z += v.z * scale;
    value.w += v.w * scale;
  }
  __device__ __forceinline__ void merge(const Merging& other) {
    raise(fmaxf(top, other.top));
    add(other.value, other.top, other.sum);
  }
  // Of the lane `distance` away.
  __device__ __forceinline__ Merging across(int distance) const {
    const auto from = [&](float x) { return __shfl_xor_sync(~0u, x, distance); };
    return {from(top), from(sum), {from(value.x), from(value.y), from(value.z), from(value.w)}};
  }
};
__device__ __forceinline__ float4 as_floats(const uint4& v) {
  return {__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z), __uint_as_float(v.w)};
}

// Where teams that have summed different parts of the same items add them up, in two buffers by
// turns. `team` lanes, at least a warp.
template <class C>
class Exchange {
 public:
  __device__ __forceinline__ explicit Exchange(void* memory)
      : from_(static_cast<Merging (*)[C::kMergeThreads]>(memory)) {}

  // Adds the sums of the other teams; whether this thread is of the team that has got them.
  __device__ __forceinline__ bool add(Merging& merging, int thread, int team) {
    const Merging* sums = from_[turn_];
    from_[turn_][thread] = merging;
    turn_ ^= 1;
    named_barrier(5, C::kMergeThreads);
    if (thread >= team) return false;
    float high = merging.top;
    for (int i = thread + team; i < C::kMergeThreads; i += team) high = fmaxf(high, sums[i].top);
    merging.raise(high);
#pragma unroll 4
    for (int i = thread + team; i < C::kMergeThreads; i += team) {
      merging.add(sums[i].value, sums[i].top, sums[i].sum);
    }
    return true;
  }

 private:
  Merging (*from_)[C::kMergeThreads];
  int turn_ = 0;
};

// Adds the item of parts first, first + step, ... and clears them.
template <class C>
__device__ __forceinline__ Merging merge_parts(const AttentionParams& p, const Parts& parts,
                                               int block, int item, int first, int step,
                                               std::uint32_t launch) {
  constexpr int kBatch = 5;
  const int count = parts.count();
  const auto slot_of = [&](int part) {
    return part_slot(parts.first_group + part, parts.first_group, p.row_blocks, block);
  };
  const auto value_of = [&](int part) {
    return p.parts + static_cast<std::int64_t>(slot_of(part)) * (C::kRows * kLatent / 4) + item;
  };
  const uint4* stats = p.stats + C::row_of(item);
  Merging merging;
#pragma unroll 1
  for (; first < count; first += kBatch * step) {
    uint4 v[kBatch];
    uint4 s[kBatch];
    std::uint32_t pending = 0;
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      v[b] = {0, 0, 0, 0};
      s[b] = {__float_as_uint(-1e30f), 0, 0, 0};
      if (first + b * step < count) pending |= 1u << b;
    }
    const std::uint32_t used = pending;
    while (pending != 0) {
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if ((pending >> b & 1) == 0) continue;
        v[b] = load_relaxed(value_of(first + b * step));
        s[b] = load_relaxed(stats + slot_of(first + b * step) * C::kRows);
      }
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (arrived(v[b]) && is_of(s[b], launch)) pending &= ~(1u << b);
      }
    }
    float high = merging.top;
#pragma unroll
    for (int b = 0; b < kBatch; ++b) high = fmaxf(high, __uint_as_float(s[b].x));
    merging.raise(high);
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      merging.add(as_floats(v[b]), __uint_as_float(s[b].x), __uint_as_float(s[b].z));
      if ((used >> b & 1) != 0)
        store_relaxed(value_of(first + b * step), {kNothing, kNothing, kNothing, kNothing});
    }
  }
  return merging;
}

// How many of the CTAs that hold the parts of a request of many merge it, the first ones: where the
// launch takes most multiprocessors, half of them. The others are free for the next layer's loads
// while these wait for each other; with fewer, the merge itself takes longer.
template <class C>
__device__ __forceinline__ int mergers_of(const Share& share, const Parts& parts) {
  return C::kBulk && share.crowded ? parts.count() / 2 : parts.count();
}
template <class C>
__device__ __forceinline__ bool merges_slice(const AttentionParams& p, const Share& share,
                                             const Parts& parts) {
  return parts.count() > p.few_parts &&
         share.group - parts.first_group < mergers_of<C>(share, parts);
}

// This CTA's slice of a request of many parts, in items of four columns of a row, in the order in
// which C stores its accumulators. A team of lanes takes neighbouring items, so that whole lines
// are read, and a few of the parts, so that all of them are on their way at once; then the teams'
// sums are added, through shared memory. By kMergeThreads threads of the CTA: `ready` waits until
// this CTA's own part is written.
template <class C, class Ready>
__device__ __forceinline__ void merge_slice(const AttentionParams& p, int request,
                                            const Parts& parts, const Share& share, int block,
                                            int thread, Exchange<C>& exchange, const Ready& ready) {
  constexpr int kItems = C::kRows * (kLatent / 4);
  const int total_rows = p.heads * p.query_tokens;
  const int rows = min(C::kRows, total_rows - block * C::kRows);
  const int count = mergers_of<C>(share, parts);
  const int rank = share.group - parts.first_group;
  const int begin = kItems * rank / count;
  const int end = kItems * (rank + 1) / count;
  constexpr int kMostLog2 = std::countr_zero(static_cast<unsigned>(C::kMergeThreads));
  const int team_log2 = min(max(32 - __clz((kItems - 1) / count), 3), kMostLog2);
  const int team = 1 << team_log2;
  const int lane = thread & (team - 1);
  const std::uint32_t launch = ready();
  for (int first = begin; first < end; first += team) {
    const int item = first + lane;
    const bool active = item < end && C::row_of(item) < rows;
    Merging merging;
    if (active) {
      merging = merge_parts<C>(p, parts, block, item, thread >> team_log2,
                               C::kMergeThreads >> team_log2, launch);
    }
    __syncwarp();
    for (int d = team; d < 32; d <<= 1) merging.merge(merging.across(d));
    if (!exchange.add(merging, thread, max(team, 32)) || thread != lane || !active) continue;
    const int row = C::row_of(item);
    const int column = C::column_of(item);
    const std::int64_t out =
        static_cast<std::int64_t>(request) * total_rows + block * C::kRows + row;
    store_output(p, out, column, merging.value, output_scale<C>(p, merging.sum));
    if (column == 0) p.lse[out] = natural_lse(merging.top, merging.sum);
  }
}

// This CTA's slices of all its requests of many parts (two at most: a share can begin and end
// inside one), by kMergeThreads threads that come to the end first.
template <class C, class Ready>
__device__ __forceinline__ void merge_slices(const AttentionParams& p, const Share& share,
                                             int block, int thread, void* memory,
                                             const Ready& ready) {
  Exchange<C> exchange(memory);
  Segments segments(p, share);
  Segment segment;
  while (segments.next(segment)) {
    const Parts parts = share.parts_of(segment);
    if (merges_slice<C>(p, share, parts)) {
      merge_slice<C>(p, segment.request, parts, share, block, thread, exchange, ready);
    }
  }
}

}  // namespace bench::cuda
