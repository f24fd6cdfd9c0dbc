#include "kernels/cuda/attention_kernels.h"
#include "kernels/cuda/attention_mma.cuh"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_portable_e4m3() {
  return {mma_kernel<MmaConfig<PoolFormat::e4m3, 1, 2, 4, 2, 4, false>>("mma/8/cp.async"),
          mma_kernel<MmaConfig<PoolFormat::e4m3, 2, 2, 4, 2, 4, false>>("mma/16/cp.async")};
}

}  // namespace bench::cuda
