#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_ds_mla656() {
  return {mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::ds_mla656,
                                         .row_blocks = 1,
                                         .tile_blocks = 4,
                                         .stages = 4,
                                         .score_warps = 4,
                                         .output_warps = 4,
                                         .bulk = true}>>("mma/8"),
          mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::ds_mla656,
                                         .row_blocks = 2,
                                         .tile_blocks = 4,
                                         .stages = 4,
                                         .score_warps = 4,
                                         .output_warps = 8,
                                         .bulk = true}>>("mma/16")};
}

}  // namespace bench::cuda
