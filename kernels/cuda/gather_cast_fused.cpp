#include <memory>

#include "kernels/cuda/attention_stage.h"
#include "kernels/cuda/compact_rows.h"
#include "kernels/cuda/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// What the incident's patch could have been: rows are cast while they are gathered, so the compact
// E4M3 copy is never written and read back.
namespace bench::cuda {
namespace {

Pipeline build(Problem& problem, Device& any) {
  CudaDevice& device = cuda_device(any);
  const auto compact = std::make_shared<const CompactRows>(problem, device);

  Pipeline pipeline{append_stage(problem, device, PoolFormat::e4m3)};
  pipeline.push_back({Stage::plan, [compact](int) { compact->plan(); }});
  pipeline.push_back(
      {Stage::gather, [&device, compact, pools = all_pools(problem, PoolFormat::e4m3)](int layer) {
         gather_cast(compact->bf16(), compact->list(pools[at(layer)]), device.stream());
       }});
  add_attention(pipeline, problem, device, [compact](int) { return compact->rows(); });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "gather_cast/fused",
     .device = DeviceKind::cuda,
     .summary = "gathers and casts the active rows in one pass, attends over the copy",
     .pool = PoolFormat::e4m3,
     .unsupported = unsupported,
     .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
       return {{Stage::append, append_bytes(PoolFormat::e4m3, s)},
               {Stage::plan, static_cast<double>(s.active_tokens()) * 8},
               {Stage::gather, cast_bytes(static_cast<double>(s.active_tokens()), s)},
               {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
     },
     .scratch_bytes = CompactRows::bytes,
     .build = build}};

}  // namespace
}  // namespace bench::cuda
