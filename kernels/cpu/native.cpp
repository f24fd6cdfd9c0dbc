#include "kernels/cpu/native.h"

#include <utility>

#include "kernels/cpu/stages.h"
#include "kernels/traffic.h"

namespace bench {

KernelVariant native(std::string name, PoolFormat format, std::string summary) {
  return {.name = std::move(name),
          .device = DeviceKind::cpu,
          .summary = std::move(summary),
          .pool = format,
          .unsupported = cpu_unsupported,
          .traffic = [format](const StepShape& s) -> std::vector<StageTraffic> {
            return {{Stage::append, append_bytes(format, s)},
                    {Stage::attention, active_bytes(format, s)}};
          },
          .scratch_bytes = [](const StepShape&) { return std::int64_t{0}; },
          .build =
              [format](Problem& problem, Device& any) {
                CpuDevice& device = cpu_device(any);
                Pipeline pipeline{append_stage(problem, device, format)};
                add_attention(pipeline, problem, device,
                              [&problem, format, pools = all_pools(problem, format)](int layer) {
                                return pool_rows(problem, format, pools[at(layer)]);
                              });
                return pipeline;
              }};
}

}  // namespace bench
