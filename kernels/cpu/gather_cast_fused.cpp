#include <memory>

#include "kernels/cpu/move.h"
#include "kernels/cpu/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// What the incident's patch could have been: rows are cast while they are gathered, so the compact
// E4M3 copy is never written and read back.
namespace bench {
namespace {

Pipeline build(Problem& problem, Device& any) {
  CpuDevice& device = cpu_device(any);
  const auto compact = std::make_shared<CompactRows>(problem, device);
  const std::int64_t row_dim = problem.shape().row_dim();

  Pipeline pipeline{append_stage(problem, device, PoolFormat::e4m3)};
  pipeline.push_back({Stage::plan, [compact](int) { compact->plan(); }});
  pipeline.push_back({Stage::gather, [&device, compact, row_dim,
                                      pools = all_pools(problem, PoolFormat::e4m3)](int layer) {
                        gather_cast_rows(device.threads(), compact->bf16(),
                                         reinterpret_cast<const std::uint8_t*>(pools[at(layer)]),
                                         row_dim, compact->slots());
                      }});
  add_attention(pipeline, problem, device, [compact](int) { return compact->rows(); });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "gather_cast/fused",
     .device = DeviceKind::cpu,
     .summary = "gathers and casts the active rows in one pass, attends over the copy",
     .pool = PoolFormat::e4m3,
     .unsupported = cpu_unsupported,
     .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
       return {{Stage::append, append_bytes(PoolFormat::e4m3, s)},
               {Stage::plan, static_cast<double>(s.active_tokens()) * 8},
               {Stage::gather, cast_bytes(static_cast<double>(s.active_tokens()), s)},
               {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
     },
     .scratch_bytes = CompactRows::bytes,
     .build = build}};

}  // namespace
}  // namespace bench
