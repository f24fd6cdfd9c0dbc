#include "kernels/cuda/full_pool_cast.h"

#include <memory>
#include <utility>

#include "kernels/cuda/attention_stage.h"
#include "kernels/cuda/stages.h"
#include "kernels/traffic.h"

namespace bench::cuda {
namespace {

Pipeline build(Problem& problem, Device& any, Cast cast) {
  CudaDevice& device = cuda_device(any);
  const std::int64_t count = problem.shape().pool_tokens * problem.shape().row_dim();
  const auto copy = std::make_shared<Buffer>(device.allocate(at(count) * 2));

  Pipeline pipeline{append_stage(problem, device, PoolFormat::e4m3)};
  pipeline.push_back({Stage::cast, [&device, cast, count, copy,
                                    pools = all_pools(problem, PoolFormat::e4m3)](int layer) {
                        cast(copy->as<std::uint16_t>(),
                             reinterpret_cast<const std::uint8_t*>(pools[at(layer)]), count,
                             device.stream());
                      }});
  add_attention(pipeline, problem, device, [&problem, copy](int) {
    return pool_rows(problem, PoolFormat::bf16, copy->as<std::byte>());
  });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    full_pool_cast("full_pool_cast", cast,
                   "casts the whole pool to BF16 in every layer, then attends over active rows")};

}  // namespace

KernelVariant full_pool_cast(std::string name, Cast cast, std::string summary) {
  return {
      .name = std::move(name),
      .device = DeviceKind::cuda,
      .summary = std::move(summary),
      .pool = PoolFormat::e4m3,
      .unsupported = unsupported,
      .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
        return {{Stage::append, append_bytes(PoolFormat::e4m3, s)},
                {Stage::cast, cast_bytes(static_cast<double>(s.pool_tokens), s)},
                {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
      },
      .scratch_bytes = [](const StepShape& s) { return s.pool_tokens * s.row_dim() * 2; },
      .build = [cast](Problem& problem, Device& device) { return build(problem, device, cast); }};
}

}  // namespace bench::cuda
