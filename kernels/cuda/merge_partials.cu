#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/merge_partials.h"
#include "kernels/cuda/ptx.cuh"

// A block is a row, four columns a thread.
namespace bench::cuda {
namespace {

__global__ void merge_rows(PartialsMerge m) {
  const std::int64_t row = blockIdx.x;
  const int c = static_cast<int>(threadIdx.x) * 4;
  float top = -INFINITY;
  for (int p = 0; p < m.parts; ++p) top = fmaxf(top, m.lses[p * m.rows + row]);
  float weights = 0;
  float4 sum = {0, 0, 0, 0};
  for (int p = 0; p < m.parts; ++p) {
    const std::int64_t from = p * m.rows + row;
    const float weight = __expf(m.lses[from] - top);
    weights += weight;
    if (c >= m.latent) continue;
    const uint2 four = *reinterpret_cast<const uint2*>(m.outputs + from * m.latent + c);
    const float2 low = bf16x2_to_float2(four.x);
    const float2 high = bf16x2_to_float2(four.y);
    sum.x += weight * low.x;
    sum.y += weight * low.y;
    sum.z += weight * high.x;
    sum.w += weight * high.y;
  }
  const float scale = 1.0F / weights;
  if (c < m.latent) {
    *reinterpret_cast<uint2*>(m.output + row * m.latent + c) = {
        float2_to_bf16x2({sum.x * scale, sum.y * scale}),
        float2_to_bf16x2({sum.z * scale, sum.w * scale})};
  }
  if (c == 0) m.lse[row] = top + __logf(weights);
}

}  // namespace

void merge_partials(const PartialsMerge& merge, cudaStream_t stream) {
  if (merge.rows == 0) return;
  const auto threads = static_cast<unsigned>((merge.latent / 4 + 31) / 32 * 32);
  merge_rows<<<static_cast<unsigned>(merge.rows), threads, 0, stream>>>(merge);
  check_launch("merge_partials");
}

}  // namespace bench::cuda
