#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_bf16() {
  return {mma_kernel<MmaConfig<PoolFormat::bf16, 1, 1, 11, 4, 4, true, 1, 1216>>("mma/8"),
          mma_kernel<MmaConfig<PoolFormat::bf16, 2, 1, 10, 4, 8, true, 1, 1216>>("mma/16")};
}

}  // namespace bench::cuda
