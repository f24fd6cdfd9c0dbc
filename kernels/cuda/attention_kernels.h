#pragma once

#include <vector>

#include "kernels/cuda/attention.h"

// Every attention kernel that is compiled, by source file, so that they compile side by side.
namespace bench::cuda {

std::vector<AttentionKernel> attention_kernels_e4m3();
std::vector<AttentionKernel> attention_kernels_bf16();
std::vector<AttentionKernel> attention_kernels_ds_mla656();
std::vector<AttentionKernel> attention_kernels_wgmma();
std::vector<AttentionKernel> attention_kernels_portable_e4m3();
std::vector<AttentionKernel> attention_kernels_portable_bf16();
std::vector<AttentionKernel> attention_kernels_portable_ds_mla656();

}  // namespace bench::cuda
