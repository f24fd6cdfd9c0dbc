#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_portable_bf16() {
  return {mma_kernel<MmaConfig<PoolFormat::bf16, 1, 1, 4, 2, 4, false>>("mma/8/cp.async"),
          mma_kernel<MmaConfig<PoolFormat::bf16, 2, 1, 4, 2, 4, false>>("mma/16/cp.async")};
}

}  // namespace bench::cuda
