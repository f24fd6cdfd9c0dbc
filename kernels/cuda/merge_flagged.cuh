#pragma once

#include "kernels/cuda/merge.cuh"

// The merge for many query rows, whose parts are large: as in merge.cuh every CTA merges a slice of
// the columns, but a part has a flag, which its CTA raises to the number of the launch when all of
// it is written. So the parts are read once, in whole lines, and nothing is cleared. (For few rows
// the fence before the flag costs more than it saves: 1 us a kernel, 4 us where a hundred CTAs wait
// for one another.)

namespace bench::cuda {

// By all of a CTA's output warps, each when it has written its share of the part.
template <class C>
__device__ __forceinline__ void publish_part(const AttentionParams& p, int slot,
                                             std::uint32_t launch, int warp) {
  named_barrier(C::kOutputBarrier, 32 * C::kOutputWarps);
  if (warp == 0 && (threadIdx.x & 31) == 0) store_release(p.flags + slot, launch);
}

// This CTA's slice of a request's parts, in items of four columns of a row, in the order in which C
// stores its accumulators. By the output warps.
template <class C>
__device__ __forceinline__ void merge_flagged_slice(const AttentionParams& p, int request,
                                                    const Parts& parts, int group, int block,
                                                    int thread, std::uint32_t launch) {
  constexpr int kBatch = 5;
  constexpr int kEach = 2;
  constexpr int kStep = 32 * C::kOutputWarps;
  constexpr int kItems = C::kRows * (kLatent / 4);
  const int total_rows = p.heads * p.query_tokens;
  const int rows = min(C::kRows, total_rows - block * C::kRows);
  const int count = parts.count();
  const int items = (kItems + count - 1) / count;
  const int begin = (group - parts.first_group) * items;
  const int end = min(begin + items, kItems);
  const auto slot_of = [&](int part) {
    return part_slot(parts.first_group + part, parts.first_group, p.row_blocks, block);
  };
  for (int part = thread & 31; part < count; part += 32) {
    while (load_acquire(p.flags + slot_of(part)) != launch) {
    }
  }
  __syncwarp();
  const auto* values = reinterpret_cast<const float4*>(p.parts);
  for (int item = begin + thread; item < end; item += kEach * kStep) {
    Merging merging[kEach];
#pragma unroll 1
    for (int first = 0; first < count; first += kBatch) {
      float4 v[kEach][kBatch];
      uint4 s[kEach][kBatch];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        const int at = item + i * kStep;
        const int row = C::row_of(at);
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          v[i][b] = {0.0f, 0.0f, 0.0f, 0.0f};
          s[i][b] = {__float_as_uint(-1e30f), 0, 0, 0};
          if (at < end && row < rows && first + b < count) {
            const int slot = slot_of(first + b);
            v[i][b] = __ldcg(values + static_cast<std::int64_t>(slot) * kItems + at);
            s[i][b] = __ldcg(p.stats + slot * C::kRows + row);
          }
        }
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        float high = merging[i].top;
#pragma unroll
        for (int b = 0; b < kBatch; ++b) high = fmaxf(high, __uint_as_float(s[i][b].x));
        merging[i].raise(high);
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          merging[i].add(v[i][b], __uint_as_float(s[i][b].x), __uint_as_float(s[i][b].z));
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int at = item + i * kStep;
      const int row = C::row_of(at);
      if (at >= end || row >= rows) continue;
      const std::int64_t out =
          static_cast<std::int64_t>(request) * total_rows + block * C::kRows + row;
      store_output(p, out, C::column_of(at), merging[i].value, output_scale<C>(p, merging[i].sum));
      if (C::column_of(at) == 0) p.lse[out] = natural_lse(merging[i].top, merging[i].sum);
    }
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
