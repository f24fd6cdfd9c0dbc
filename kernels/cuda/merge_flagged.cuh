#pragma once

#include "kernels/cuda/merge.cuh"

// The merge for many query rows, whose parts are large: as in merge.cuh every CTA merges a slice of
// the columns, but a part has a flag, which its CTA raises to the number of the launch when all of
// it is written. So the parts are read once, in whole lines, and nothing is cleared. (For few rows
// the fence before the flag costs more than it saves: 1 us a kernel, 4 us where a hundred CTAs wait
// for one another.)

namespace bench::cuda {

// What output warps hold of a finished segment, for each row 8n + 2t + e of their lanes t.
// columns(n, q, e): four neighbouring columns, not yet divided by the sum; totals(n, e): the row's
// maximum (log2 units) and sum.
template <class C, class Totals, class Columns>
__device__ __forceinline__ void store_whole(const AttentionParams& p, int request,
                                            const Totals& totals, const Columns& columns, int warp,
                                            int lane, int block) {
  const int total_rows = p.heads * p.query_tokens;
#pragma unroll
  for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int row = block * C::kRows + 8 * n + 2 * (lane & 3) + e;
      if (row >= total_rows) continue;
      const std::int64_t out = static_cast<std::int64_t>(request) * total_rows + row;
      const float2 total = totals(n, e);
      const float scale = output_scale<C>(p, total.y);
#pragma unroll
      for (int q = 0; q < C::kQuads; ++q) {
        store_output(p, out, C::column(q, warp, lane >> 2), columns(n, q, e), scale);
      }
      if (warp == 0 && lane < 4) p.lse[out] = natural_lse(total.x, total.y);
    }
  }
}

// A part's items are eight neighbouring columns of a row, f16 (whose error is an eighth of the
// output's own), divided by the part's sum, so that they are in range; they lie [row
// half][warp][lane].
// By all of a CTA's output warps: writes the CTA's part, and says so.
template <class C, class Totals, class Columns>
__device__ __forceinline__ void publish_part(const AttentionParams& p, int slot,
                                             std::uint32_t launch, const Totals& totals,
                                             const Columns& columns, int warp, int lane) {
  uint4* part = p.parts + static_cast<std::int64_t>(slot) * C::kPartItems;
#pragma unroll
  for (int n = 0; n < C::kRowBlocks; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const float2 total = totals(n, e);
      const float scale = total.y == 0.0f ? 0.0f : __fdividef(1.0f, total.y);
      const float4 a = columns(n, 0, e);
      const float4 b = columns(n, 1, e);
      part[((2 * n + e) * C::kOutputWarps + warp) * 32 + lane] = {
          Half2::pack(a.x * scale, a.y * scale), Half2::pack(a.z * scale, a.w * scale),
          Half2::pack(b.x * scale, b.y * scale), Half2::pack(b.z * scale, b.w * scale)};
      if (warp == 0 && lane < 4) {
        store_stats(p.stats + slot * C::kRows + 8 * n + 2 * lane + e, total.x, total.y, launch);
      }
    }
  }
  named_barrier(C::kMathBarrier, C::kMathThreads);
  if (warp == 0 && lane == 0) store_release(p.flags + slot, launch);
}

// An item on its way to becoming output: a sum of parts.
struct ItemSum {
  float top = -1e30f;
  float sum = 0.0f;
  float value[8] = {};

  __device__ __forceinline__ void raise(float to) {
    const float scale = exp2_approx(top - to);
    top = to;
    sum *= scale;
#pragma unroll
    for (float& v : value) v *= scale;
  }
  // Of a part with a maximum no higher than `top`.
  __device__ __forceinline__ void add(const uint4& item, float maximum, float their_sum) {
    const float weight = their_sum * exp2_approx(maximum - top);
    sum += weight;
    const std::uint32_t pairs[4] = {item.x, item.y, item.z, item.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = Half2::unpack(pairs[i]);
      value[2 * i] += pair.x * weight;
      value[2 * i + 1] += pair.y * weight;
    }
  }
};

// This CTA's slice of a request's parts, in items as they were written. By the output warps.
template <class C>
__device__ __forceinline__ void merge_flagged_slice(const AttentionParams& p, int request,
                                                    const Parts& parts, int group, int block,
                                                    int thread, std::uint32_t launch) {
  constexpr int kBatch = 5;
  const int total_rows = p.heads * p.query_tokens;
  const int rows = min(C::kRows, total_rows - block * C::kRows);
  const int count = parts.count();
  const int items = (C::kPartItems + count - 1) / count;
  const int begin = (group - parts.first_group) * items;
  const int end = min(begin + items, C::kPartItems);
  const auto slot_of = [&](int part) {
    return part_slot(parts.first_group + part, parts.first_group, p.row_blocks, block);
  };
  for (int part = thread & 31; part < count; part += 32) {
    while (load_acquire(p.flags + slot_of(part)) != launch) {
    }
  }
  __syncwarp();
  for (int at = begin + thread; at < end; at += C::kMathThreads) {
    const int half = at / C::kMathThreads;
    const int row = 8 * (half >> 1) + 2 * (at & 3) + (half & 1);
    if (row >= rows) continue;
    ItemSum merged;
#pragma unroll 1
    for (int first = 0; first < count; first += kBatch) {
      uint4 v[kBatch] = {};
      uint4 s[kBatch];
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        s[b] = {__float_as_uint(-1e30f), 0, 0, 0};
        if (first + b >= count) continue;
        const int slot = slot_of(first + b);
        v[b] = __ldcg(p.parts + static_cast<std::int64_t>(slot) * C::kPartItems + at);
        s[b] = __ldcg(p.stats + slot * C::kRows + row);
      }
      float high = merged.top;
#pragma unroll
      for (int b = 0; b < kBatch; ++b) high = fmaxf(high, __uint_as_float(s[b].x));
      merged.raise(high);
#pragma unroll
      for (int b = 0; b < kBatch; ++b)
        merged.add(v[b], __uint_as_float(s[b].x), __uint_as_float(s[b].z));
    }
    const std::int64_t out =
        static_cast<std::int64_t>(request) * total_rows + block * C::kRows + row;
    const int column = C::column(0, at / 32 % C::kOutputWarps, at / 4 % 8);
    const float scale = output_scale<C>(p, merged.sum);
    const float* v = merged.value;
    *reinterpret_cast<uint4*>(p.output + out * kLatent + column) = {
        Bfloat2::pack(v[0] * scale, v[1] * scale), Bfloat2::pack(v[2] * scale, v[3] * scale),
        Bfloat2::pack(v[4] * scale, v[5] * scale), Bfloat2::pack(v[6] * scale, v[7] * scale)};
    if (column == 0) p.lse[out] = natural_lse(merged.top, merged.sum);
  }
}

// This CTA's slices of all its split requests (two at most), by the output warps.
template <class C>
__device__ __forceinline__ void merge_flagged(const AttentionParams& p, const Share& share,
                                              int block, int thread, std::uint32_t launch) {
  Segments segments(p, share);
  Segment segment;
  while (segments.next(segment)) {
    const Parts parts = share.parts_of(segment);
    if (parts.count() > 1) {
      merge_flagged_slice<C>(p, segment.request, parts, share.group, block, thread, launch);
    }
  }
}

}  // namespace bench::cuda
