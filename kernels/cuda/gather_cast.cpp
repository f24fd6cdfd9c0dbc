#include <memory>

#include "kernels/cuda/attention_stage.h"
#include "kernels/cuda/compact_rows.h"
#include "kernels/cuda/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// The incident's patch: gather the active rows, cast that compact copy, attend over it by indices
// 0, 1, ..., n-1 that are made anew in every layer.
namespace bench::cuda {
namespace {

Pipeline build(Problem& problem, Device& any) {
  CudaDevice& device = cuda_device(any);
  const auto compact = std::make_shared<const CompactRows>(problem, device);

  Pipeline pipeline{append_stage(problem, device, PoolFormat::e4m3)};
  pipeline.push_back({Stage::plan, [compact](int) { compact->plan(); }});
  pipeline.push_back(
      {Stage::gather, [&device, compact, pools = all_pools(problem, PoolFormat::e4m3)](int layer) {
         gather(compact->codes(), compact->list(pools[at(layer)]), device.stream());
       }});
  pipeline.push_back({Stage::cast, [&device, compact](int) {
                        cast(compact->bf16(), compact->codes(), compact->values(), device.stream());
                      }});
  add_attention(pipeline, problem, device, [compact](int) { return compact->rows(); });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "gather_cast",
     .device = DeviceKind::cuda,
     .summary = "gathers the active rows, casts the compact copy, attends over it",
     .pool = PoolFormat::e4m3,
     .unsupported = unsupported,
     .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
       return {{Stage::append, append_bytes(PoolFormat::e4m3, s)},
               {Stage::plan, static_cast<double>(s.active_tokens()) * 8},
               {Stage::gather, 2 * active_bytes(PoolFormat::e4m3, s)},
               {Stage::cast, cast_bytes(static_cast<double>(s.active_tokens()), s)},
               {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
     },
     .scratch_bytes = CompactRows::bytes,
     .build = build}};

}  // namespace
}  // namespace bench::cuda
