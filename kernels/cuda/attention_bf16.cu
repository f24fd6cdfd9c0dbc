#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_bf16() {
  return {mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::bf16,
                                         .row_blocks = 1,
                                         .tile_blocks = 1,
                                         .stages = 11,
                                         .score_warps = 4,
                                         .output_warps = 4,
                                         .bulk = true,
                                         .pitch = 1216}>>("mma/8"),
          mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::bf16,
                                         .row_blocks = 2,
                                         .tile_blocks = 1,
                                         .stages = 10,
                                         .score_warps = 4,
                                         .output_warps = 8,
                                         .bulk = true,
                                         .pitch = 1216}>>("mma/16")};
}

}  // namespace bench::cuda
