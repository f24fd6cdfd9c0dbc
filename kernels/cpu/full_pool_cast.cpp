#include <memory>

#include "kernels/cpu/move.h"
#include "kernels/cpu/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// The incident: every layer casts the whole pool to BF16, whatever the context, and then attends
// over the active rows of the cast.
namespace bench {
namespace {

Pipeline build(Problem& problem, Device& any) {
  CpuDevice& device = cpu_device(any);
  const auto pools = all_pools(problem, PoolFormat::e4m3);
  const std::int64_t count = problem.shape().pool_tokens * problem.shape().row_dim();
  const auto cast = std::make_shared<Buffer>(device.allocate(static_cast<std::size_t>(count) * 2));

  Pipeline pipeline{append_stage(problem, device, PoolFormat::e4m3)};
  pipeline.push_back({Stage::cast, [&device, pools, count, cast](int layer) {
                        const auto* codes = reinterpret_cast<const std::uint8_t*>(pools[at(layer)]);
                        cast_e4m3(device.threads(), cast->as<std::uint16_t>(), codes, count);
                      }});
  add_attention(pipeline, problem, device, [&problem, cast](int) {
    return pool_rows(problem, PoolFormat::bf16, cast->as<std::byte>());
  });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "full_pool_cast",
     .device = DeviceKind::cpu,
     .summary = "casts the whole pool to BF16 in every layer, then attends over the active rows",
     .pool = PoolFormat::e4m3,
     .unsupported = cpu_unsupported,
     .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
       return {{Stage::append, append_bytes(PoolFormat::e4m3, s)},
               {Stage::cast, cast_bytes(static_cast<double>(s.pool_tokens), s)},
               {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
     },
     .scratch_bytes = [](const StepShape& s) { return s.pool_tokens * s.row_dim() * 2; },
     .build = build}};

}  // namespace
}  // namespace bench
