#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_portable_ds_mla656() {
  return {mma_kernel<MmaConfig<PoolFormat::ds_mla656, 1, 2, 3, 2, 4, false>>("mma/8/cp.async"),
          mma_kernel<MmaConfig<PoolFormat::ds_mla656, 2, 2, 3, 2, 4, false>>("mma/16/cp.async")};
}

}  // namespace bench::cuda
