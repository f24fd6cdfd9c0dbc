#include "kernels/cuda/native.h"

#include <utility>

#include "kernels/cuda/attention_stage.h"
#include "kernels/cuda/stages.h"
#include "kernels/traffic.h"

namespace bench::cuda {

KernelVariant native(std::string name, PoolFormat format, std::string summary) {
  return {.name = std::move(name),
          .device = DeviceKind::cuda,
          .summary = std::move(summary),
          .pool = format,
          .unsupported = unsupported,
          .traffic = [format](const StepShape& s) -> std::vector<StageTraffic> {
            return {{Stage::append, append_bytes(format, s)},
                    {Stage::attention, active_bytes(format, s)}};
          },
          .scratch_bytes = [](const StepShape&) { return std::int64_t{0}; },
          .build =
              [format](Problem& problem, Device& any) {
                CudaDevice& device = cuda_device(any);
                Pipeline pipeline{append_stage(problem, device, format)};
                add_attention(
                    pipeline, problem, device,
                    [&problem, format, pools = all_pools(problem, format)](int layer) {
                      return pool_rows(problem, format, pools[at(layer)]);
                    },
                    RowsAre::old);
                return pipeline;
              }};
}

}  // namespace bench::cuda
