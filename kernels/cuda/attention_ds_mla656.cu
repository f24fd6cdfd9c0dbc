#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_ds_mla656() {
  return {mma_kernel<MmaConfig<PoolFormat::ds_mla656, 1, 4, 4, 4, 4, true>>("mma/8"),
          mma_kernel<MmaConfig<PoolFormat::ds_mla656, 2, 4, 4, 4, 8, true>>("mma/16")};
}

}  // namespace bench::cuda
