#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

// Rows begin on lines of 128 bytes in shared memory as they do in the pool, so that the copy engine
// moves whole lines. A load warp brings 16 rows of a tile at once, so that a tile's barriers cost
// it less.
std::vector<AttentionKernel> attention_kernels_bf16() {
  return {mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::bf16,
                                         .row_blocks = 1,
                                         .tile_blocks = 2,
                                         .stages = 5,
                                         .score_warps = 4,
                                         .output_warps = 4,
                                         .bulk = true,
                                         .tile_loaders = 2,
                                         .pitch = 1152}>>("mma/8"),
          mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::bf16,
                                         .row_blocks = 2,
                                         .tile_blocks = 2,
                                         .stages = 5,
                                         .score_warps = 4,
                                         .output_warps = 4,
                                         .bulk = true,
                                         .tile_loaders = 2,
                                         .pitch = 1152}>>("mma/16")};
}

}  // namespace bench::cuda
