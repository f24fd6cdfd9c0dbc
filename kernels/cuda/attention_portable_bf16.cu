#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_portable_bf16() {
  return {mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::bf16,
                                         .row_blocks = 1,
                                         .tile_blocks = 1,
                                         .stages = 4,
                                         .score_warps = 2,
                                         .output_warps = 4,
                                         .bulk = false}>>("mma/8/cp.async"),
          mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::bf16,
                                         .row_blocks = 2,
                                         .tile_blocks = 1,
                                         .stages = 4,
                                         .score_warps = 2,
                                         .output_warps = 4,
                                         .bulk = false}>>("mma/16/cp.async")};
}

}  // namespace bench::cuda
