#include <memory>

#include "kernels/cpu/move.h"
#include "kernels/cpu/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// The incident's patch: gather the active rows, cast that compact copy, attend over it by indices
// 0, 1, ..., n-1 that are made anew in every layer.
namespace bench {
namespace {

Pipeline build(Problem& problem, Device& any) {
  CpuDevice& device = cpu_device(any);
  const auto compact = std::make_shared<CompactRows>(problem, device);
  const std::int64_t row_dim = problem.shape().row_dim();
  const std::int64_t count = problem.shape().active_tokens() * row_dim;

  Pipeline pipeline{append_stage(problem, device, PoolFormat::e4m3)};
  pipeline.push_back({Stage::plan, [compact](int) { compact->plan(); }});
  pipeline.push_back({Stage::gather, [&device, compact, row_dim,
                                      pools = all_pools(problem, PoolFormat::e4m3)](int layer) {
                        gather_rows(device.threads(),
                                    reinterpret_cast<std::byte*>(compact->codes()),
                                    pools[at(layer)], row_dim, compact->slots());
                      }});
  pipeline.push_back({Stage::cast, [&device, compact, count](int) {
                        cast_e4m3(device.threads(), compact->bf16(), compact->codes(), count);
                      }});
  add_attention(pipeline, problem, device, [compact](int) { return compact->rows(); });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "gather_cast",
     .device = DeviceKind::cpu,
     .summary = "gathers the active rows, casts the compact copy, attends over it",
     .pool = PoolFormat::e4m3,
     .unsupported = cpu_unsupported,
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
}  // namespace bench
