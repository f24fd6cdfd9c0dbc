#pragma once

#include "kernels/cuda/attention.h"
#include "kernels/cuda/ptx.cuh"

namespace bench::cuda {

// The kernel before this one has just written the queries, so they lie in L2; where they do not (a
// measurement with queries made beforehand), this brings a request's there while it still runs. By
// `threads` threads.
template <class C>
__device__ __forceinline__ void prefetch_queries(const AttentionParams& p, int request, int block,
                                                 int thread, int threads) {
  const int rows = p.heads * p.query_tokens;
  const int row_bytes = 2 * (512 + p.rope);
  const int bytes = min(C::kRows, rows - block * C::kRows) * row_bytes;
  const auto* from = reinterpret_cast<const std::uint8_t*>(p.queries) +
                     (static_cast<std::int64_t>(request) * rows + block * C::kRows) * row_bytes;
  for (int at = thread * 128; at < bytes; at += threads * 128) prefetch_l2(from + at);
}

}  // namespace bench::cuda
