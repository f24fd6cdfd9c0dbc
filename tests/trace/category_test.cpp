#include "results/trace/category.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

Category of(std::string_view name) { return categorise(name, TraceEventKind::kernel); }

TEST(Category, OfTorch) {
  EXPECT_EQ(
      of("void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(...)>"),
      Category::cast_copy);
  EXPECT_EQ(
      of("void at::native::vectorized_elementwise_kernel<4, at::native::float8_copy_kernel_cuda>"),
      Category::cast_copy);
  EXPECT_EQ(of("void at::native::vectorized_gather_kernel<16, long>(char*)"),
            Category::gather_scatter);
  EXPECT_EQ(of("void at::native::index_elementwise_kernel<128, 4, gpu_index_kernel>"),
            Category::gather_scatter);
  EXPECT_EQ(of("void at::native::vectorized_elementwise_kernel<8, "
               "at::native::CUDAFunctor_add<c10::BFloat16>>"),
            Category::norm_elementwise);
  EXPECT_EQ(of("void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>"),
            Category::sampling);
  EXPECT_EQ(of("triton_poi_fused__to_copy_view_0"), Category::cast_copy);
  EXPECT_EQ(of("triton_red_fused_add_mean_1"), Category::norm_elementwise);
}

TEST(Category, OfServingKernels) {
  EXPECT_EQ(of("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_NNT"), Category::gemm);
  EXPECT_EQ(of("void cublasLt::splitKreduce_kernel<32, 16, int>"), Category::gemm);
  EXPECT_EQ(of("Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs"), Category::gemm);
  EXPECT_EQ(of("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<...>>"),
            Category::gemm);
  EXPECT_EQ(of("void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla>"),
            Category::attention);
  EXPECT_EQ(of("paged_attention_ll4mi_QKV_mfma16_kernel"), Category::attention);
  EXPECT_EQ(of("void flashinfer::BatchDecodeWithPagedKVCacheKernelMLA<...>"), Category::attention);
  EXPECT_EQ(of("void flashinfer::sampling::TopKTopPSamplingFromProbKernel<...>"),
            Category::sampling);
  EXPECT_EQ(of("void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>"),
            Category::norm_elementwise);
  EXPECT_EQ(of("fused_moe_kernel"), Category::moe);
  EXPECT_EQ(of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            Category::collective);
  EXPECT_EQ(of("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>"), Category::collective);
  EXPECT_EQ(of("something_of_one's_own"), Category::other);
  EXPECT_EQ(categorise("Memcpy DtoD (Device -> Device)", TraceEventKind::memcpy), Category::memory);
}

TEST(Category, KnowsTheBandwidthOfCards) {
  EXPECT_EQ(peak_bandwidth_per_s("NVIDIA H200"), 4.8e12);
  EXPECT_EQ(peak_bandwidth_per_s("NVIDIA RTX PRO 6000 Blackwell Server Edition"), 1.792e12);
  EXPECT_EQ(peak_bandwidth_per_s("NVIDIA H100 80GB HBM3"), 3.35e12);
  EXPECT_EQ(peak_bandwidth_per_s("something else"), 0);
}

}  // namespace
}  // namespace bench
