#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

// Where every CTA has many tokens the copies are what counts: two warps a tile, and rows as close
// as in the pool, bring them 2 % sooner, though a tile is then a little later (8 % of a step of
// 4k).
std::vector<AttentionKernel> attention_kernels_e4m3() {
  return {mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::e4m3,
                                         .row_blocks = 1,
                                         .tile_blocks = 4,
                                         .stages = 5,
                                         .score_warps = 4,
                                         .output_warps = 4,
                                         .bulk = true}>>("mma/8"),
          mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::e4m3,
                                         .row_blocks = 1,
                                         .tile_blocks = 4,
                                         .stages = 5,
                                         .score_warps = 4,
                                         .output_warps = 4,
                                         .bulk = true,
                                         .tile_loaders = 2,
                                         .pitch = 576}>>("mma/8/many", 1536),
          mma_kernel<MmaConfig<MmaTraits{.format = PoolFormat::e4m3,
                                         .row_blocks = 2,
                                         .tile_blocks = 4,
                                         .stages = 5,
                                         .score_warps = 4,
                                         .output_warps = 4,
                                         .bulk = true}>>("mma/16")};
}

}  // namespace bench::cuda
