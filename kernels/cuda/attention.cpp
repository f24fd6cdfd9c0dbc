#include "kernels/cuda/attention.h"

#include <algorithm>
#include <bit>
#include <numbers>
#include <tuple>
#include <vector>

#include "harness/error.h"
#include "harness/format.h"
#include "kernels/cuda/attention_kernels.h"

namespace bench::cuda {
namespace {

const std::vector<AttentionKernel>& all_kernels() {
  static const std::vector<AttentionKernel> kAll = [] {
    std::vector<AttentionKernel> kernels;
    for (const auto& some :
         {attention_kernels_e4m3(), attention_kernels_bf16(), attention_kernels_ds_mla656(),
          attention_kernels_wgmma(), attention_kernels_portable_e4m3(),
          attention_kernels_portable_bf16(), attention_kernels_portable_ds_mla656()}) {
      kernels.insert(kernels.end(), some.begin(), some.end());
    }
    return kernels;
  }();
  return kAll;
}

void check_cuda(cudaError_t error, const AttentionKernel& kernel, const char* what) {
  if (error == cudaSuccess) return;
  fail(format("{} of attention kernel {}: {} ({})", what, kernel.name, cudaGetErrorString(error),
              cudaGetErrorName(error)));
}

bool runs_on(const AttentionKernel& kernel, const DeviceInfo& device) {
  return device.compute_capability >= kernel.least_capability &&
         (kernel.only_capability == 0 || device.compute_capability == kernel.only_capability) &&
         kernel.shared_bytes <= device.shared_memory_per_block;
}

int divide_up(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

// CTAs of a launch: one a multiprocessor, in whole groups that share tokens.
int grid_of(const DeviceInfo& device, int row_blocks) {
  return std::max(1, device.multiprocessors / row_blocks) * row_blocks;
}

}  // namespace

std::string attention_refusal(const StepShape& shape, const DeviceInfo& device) {
  if (shape.latent != 512) return format("takes 512 latent columns, not {}", shape.latent);
  if (shape.rope != 0 && shape.rope != 64)
    return format("takes 0 or 64 rope columns, not {}", shape.rope);
  if (!std::has_single_bit(static_cast<std::uint64_t>(shape.page_size))) {
    return format("takes pages of a power of two of tokens, not {}", shape.page_size);
  }
  if (shape.heads * shape.query_tokens > 512) return "takes up to 512 heads x query tokens";
  if (device.compute_capability < 80) {
    return format("needs compute capability 8.0, the device has {}.{}",
                  device.compute_capability / 10, device.compute_capability % 10);
  }
  constexpr std::int64_t kShared =
      101'376;  // what the smallest device of capability 8.0 or later has
  if (device.shared_memory_per_block < kShared) {
    return format("needs {} bytes of shared memory a block, the device has {}", kShared,
                  device.shared_memory_per_block);
  }
  return "";
}

AttentionPlan plan_attention(PoolFormat format, const StepShape& shape, const DeviceInfo& device,
                             bool portable) {
  const std::int64_t rows = shape.heads * shape.query_tokens;
  // Fewest CTAs that read the same rows, then the least padding, then the one for the most tokens.
  const auto cost = [&](const AttentionKernel& k) {
    return std::tuple(divide_up(rows, k.rows), k.rows, -k.least_tokens);
  };
  const auto has_enough = [&](const AttentionKernel& k) {
    const int row_blocks = divide_up(rows, k.rows);
    return shape.active_tokens() * row_blocks >=
           std::int64_t{k.least_tokens} * grid_of(device, row_blocks);
  };
  const AttentionKernel* best = nullptr;
  for (const AttentionKernel& kernel : all_kernels()) {
    if (kernel.format != format || !runs_on(kernel, device) || !has_enough(kernel)) continue;
    if (portable && kernel.least_capability > 80) continue;
    if (best == nullptr || cost(kernel) < cost(*best)) best = &kernel;
  }
  if (best == nullptr) fail("no attention kernel for " + to_string(format) + " on " + device.name);
  check_cuda(cudaFuncSetAttribute(best->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  best->shared_bytes),
             *best, "shared memory");
  AttentionPlan plan{.kernel = *best, .row_blocks = divide_up(rows, best->rows)};
  plan.grid = grid_of(device, plan.row_blocks);
  const std::size_t part_rows = std::size_t{2} * static_cast<std::size_t>(plan.grid * best->rows);
  plan.parts_bytes = part_rows * 512 * sizeof(float);
  plan.stats_bytes = part_rows * sizeof(uint4);
  plan.flags_bytes = std::size_t{2} * static_cast<std::size_t>(plan.grid) * sizeof(std::uint32_t);
  return plan;
}

AttentionParams attention_params(const AttentionPlan& plan, const StepShape& shape) {
  AttentionParams p{};
  p.requests = static_cast<int>(shape.requests);
  p.heads = static_cast<int>(shape.heads);
  p.query_tokens = static_cast<int>(shape.query_tokens);
  p.rope = static_cast<int>(shape.rope);
  p.page_shift = std::countr_zero(static_cast<std::uint64_t>(shape.page_size));
  p.row_blocks = plan.row_blocks;
  p.few_parts = plan.kernel.few_parts;
  p.unit_log2 = plan.kernel.unit_log2;
  p.request_cost = plan.kernel.request_cost;
  // About 64 CTAs for short contexts, of 64 to 256 tokens: the other multiprocessors fetch the next
  // layer's rows.
  const auto tokens = static_cast<std::uint64_t>(shape.active_tokens() / 64);
  const int tokens_log2 =
      std::clamp(static_cast<int>(std::bit_width(tokens)) - 1, plan.kernel.rows > 16 ? 7 : 6, 8);
  p.min_units_log2 = tokens_log2 - p.unit_log2;
  p.score_scale = shape.softmax_scale * shape.k_scale * std::numbers::log2e_v<float>;
  p.v_scale = shape.v_scale;
  return p;
}

void launch_attention(const AttentionPlan& plan, const AttentionParams& params,
                      cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(plan.grid));
  config.blockDim = dim3(static_cast<unsigned>(plan.kernel.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(plan.kernel.shared_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  // Only kernels for capability 9.0 know how to wait.
  config.numAttrs = plan.kernel.least_capability >= 90 ? 1 : 0;
  AttentionParams copy = params;
  void* arguments[] = {&copy};
  check_cuda(cudaLaunchKernelExC(&config, plan.kernel.function, arguments), plan.kernel, "launch");
}

}  // namespace bench::cuda
