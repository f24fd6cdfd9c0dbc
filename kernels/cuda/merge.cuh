#pragma once

#include "kernels/cuda/work_split.cuh"

// Split requests. Each CTA leaves its part of the output, relative to its own maximum, in memory.
// Of up to kFewParts parts the CTA with the first (it comes to it last of all its work) merges the
// others into its registers; they are free for the next kernel at once. Of more, every CTA merges a
// slice of the columns. No kernel of its own, and no order that depends on timing: parts are always
// added first to last.
// No fence, flag or counter either: a reader polls the data itself. A part's words are kNothing
// until written, and whoever reads them (exactly one CTA) puts kNothing back; a row's statistics,
// which many read, carry the number of the launch. Waiting is safe because the grid never exceeds
// what is resident at once.

namespace bench::cuda {

inline constexpr int kLatent = 512;
inline constexpr int kFewParts = 8;
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

// This CTA's slice of a request of many parts, in items of four columns of a row, in the order in
// which C stores its accumulators. Neighbouring lanes share an item and divide its parts, as many
// of them as bring all loads in flight at once. By kMergeThreads threads of the CTA: what can be
// worked out beforehand is, then `ready` waits until this CTA's own part is written.
template <class C, class Ready>
__device__ __forceinline__ void merge_slice(const AttentionParams& p, int request,
                                            const Parts& parts, int group, int block, int thread,
                                            const Ready& ready) {
  constexpr int kBatch = 5;
  constexpr int kItems = C::kRows * (kLatent / 4);
  const int total_rows = p.heads * p.query_tokens;
  const int rows = min(C::kRows, total_rows - block * C::kRows);
  const int count = parts.count();
  const int rank = group - parts.first_group;
  const float items_a_part = __fdividef(static_cast<float>(kItems), static_cast<float>(count));
  const int begin = static_cast<int>(items_a_part * static_cast<float>(rank));
  const int end =
      rank + 1 == count ? kItems : static_cast<int>(items_a_part * static_cast<float>(rank + 1));
  const int lanes_log2 = count <= kBatch        ? 0
                         : count <= 4 * kBatch  ? 2
                         : count <= 8 * kBatch  ? 3
                         : count <= 16 * kBatch ? 4
                                                : 5;
  const int lanes = 1 << lanes_log2;
  const int lane = thread & (lanes - 1);
  const int first_slot = part_slot(parts.first_group, -1, p.row_blocks, block);
  const int stride = 2 * p.row_blocks;  // slots from part to part; the first part has one to itself
  const std::uint32_t launch = ready();
  for (int item = begin + (thread >> lanes_log2); __any_sync(~0u, item < end);
       item += C::kMergeThreads >> lanes_log2) {
    const int row = C::row_of(item);
    const bool active = item < end && row < rows;
    float top = -1e30f;
    float sum = 0.0f;
    float4 value = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
    for (int first = lane; first - lane < count; first += kBatch * lanes) {
      // The first part's slot is the odd one out.
      const int slot = first_slot + first * stride + (first == 0 ? 1 : 0);
      const int next = first_slot + (first + lanes) * stride;
      const auto slot_of = [&](int b) {
        return b == 0 ? slot : next + ((b - 1) * stride << lanes_log2);
      };
      const auto value_of = [&](int b) {
        return p.parts + static_cast<std::int64_t>(slot_of(b)) * kItems + item;
      };
      uint4 v[kBatch];
      uint4 s[kBatch];
      std::uint32_t pending = 0;
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        v[b] = {0, 0, 0, 0};
        s[b] = {__float_as_uint(-1e30f), 0, 0, 0};
        if (active && first + (b << lanes_log2) < count) pending |= 1u << b;
      }
      const std::uint32_t used = pending;
      while (pending != 0) {
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          if ((pending >> b & 1) == 0) continue;
          v[b] = load_relaxed(value_of(b));
          s[b] = load_relaxed(p.stats + slot_of(b) * C::kRows + row);
        }
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          if (arrived(v[b]) && is_of(s[b], launch)) pending &= ~(1u << b);
        }
      }
      float high = top;
#pragma unroll
      for (int b = 0; b < kBatch; ++b) high = fmaxf(high, __uint_as_float(s[b].x));
      const float before = exp2_approx(top - high);
      top = high;
      sum *= before;
      value = {value.x * before, value.y * before, value.z * before, value.w * before};
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        const float scale = exp2_approx(__uint_as_float(s[b].x) - top);
        sum += __uint_as_float(s[b].z) * scale;
        value.x += __uint_as_float(v[b].x) * scale;
        value.y += __uint_as_float(v[b].y) * scale;
        value.z += __uint_as_float(v[b].z) * scale;
        value.w += __uint_as_float(v[b].w) * scale;
        if ((used >> b & 1) != 0)
          store_relaxed(value_of(b), {kNothing, kNothing, kNothing, kNothing});
      }
    }
    float high = top;
    for (int d = 1; d < lanes; d <<= 1) high = fmaxf(high, __shfl_xor_sync(~0u, high, d));
    const float scale = exp2_approx(top - high);
    sum *= scale;
    value = {value.x * scale, value.y * scale, value.z * scale, value.w * scale};
    for (int d = 1; d < lanes; d <<= 1) {
      sum += __shfl_xor_sync(~0u, sum, d);
      value.x += __shfl_xor_sync(~0u, value.x, d);
      value.y += __shfl_xor_sync(~0u, value.y, d);
      value.z += __shfl_xor_sync(~0u, value.z, d);
      value.w += __shfl_xor_sync(~0u, value.w, d);
    }
    if (lane == 0 && active) {
      const int column = C::column_of(item);
      const std::int64_t out =
          static_cast<std::int64_t>(request) * total_rows + block * C::kRows + row;
      store_output(p, out, column, value, output_scale<C>(p, sum));
      if (column == 0) p.lse[out] = natural_lse(high, sum);
    }
  }
}

// This CTA's slices of all its requests of many parts (two at most: a share can begin and end
// inside one), by kMergeThreads threads that come to the end first.
template <class C, class Ready>
__device__ __forceinline__ void merge_slices(const AttentionParams& p, const Share& share,
                                             int block, int thread, const Ready& ready) {
  Segments segments(p, share);
  Segment segment;
  while (segments.next(segment)) {
    const Parts parts = share.parts_of(segment);
    if (parts.count() > p.few_parts) {
      merge_slice<C>(p, segment.request, parts, share.group, block, thread, ready);
    }
  }
}

}  // namespace bench::cuda
