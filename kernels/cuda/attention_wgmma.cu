#include "kernels/cuda/attention_wgmma.cuh"

#include "kernels/cuda/attention_kernels.h"

namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_wgmma() {
  return {wgmma_kernel<WgmmaConfig<32, 9>>("wgmma/32"),
          wgmma_kernel<WgmmaConfig<64, 7>>("wgmma/64")};
}

}  // namespace bench::cuda
