#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {
namespace {

constexpr MmaTraits kEightRows{.format = PoolFormat::e4m3,
                               .row_blocks = 1,
                               .tile_blocks = 4,
                               .stages = 5,
                               .score_warps = 4,
                               .output_warps = 4,
                               .bulk = true};

constexpr MmaTraits sixteen_rows() {
  MmaTraits traits = kEightRows;
  traits.row_blocks = 2;
  return traits;
}

// Where every CTA has many tokens the copies are what counts: two warps a tile, and rows as close
// as in the pool, bring them sooner, though a tile is then a little later.
constexpr MmaTraits many_tokens() {
  MmaTraits traits = kEightRows;
  traits.tile_loaders = 2;
  traits.pitch = 576;
  return traits;
}

}  // namespace

std::vector<AttentionKernel> attention_kernels_e4m3() {
  return {mma_kernel<MmaConfig<kEightRows>>("mma/8"),
          mma_kernel<MmaConfig<many_tokens()>>("mma/8/many", 1536),
          mma_kernel<MmaConfig<sixteen_rows()>>("mma/16")};
}

}  // namespace bench::cuda
