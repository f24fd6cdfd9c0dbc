#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_e4m3() {
  return {mma_kernel<MmaConfig<PoolFormat::e4m3, 1, 4, 5, 4, 4, true>>("mma/8"),
          mma_kernel<MmaConfig<PoolFormat::e4m3, 2, 4, 5, 4, 8, true, 2>>("mma/16")};
}

}  // namespace bench::cuda
