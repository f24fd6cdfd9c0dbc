#include <memory>
#include <utility>

#include "kernels/cpu/move.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// A BF16 shadow of each layer's pool is kept beside it, and only new rows are cast: none of the
// cast's traffic, three times the memory. Append writes each slot in both, so that a slot which a
// new request takes over leaves no old row behind.
namespace bench {
namespace {

std::int64_t shadow_bytes(const StepShape& shape) {
  return shape.pool_tokens * row_bytes(PoolFormat::bf16, shape);
}

struct Layer {
  std::byte* pool;
  Buffer shadow;

  // Makes the shadow's rows of these slots equal to the pool's.
  void refresh(Threads& threads, const StepShape& shape,
               std::span<const std::int64_t> slots) const {
    cast_rows(threads, shadow.as<std::uint16_t>(), reinterpret_cast<const std::uint8_t*>(pool),
              shape.row_dim(), slots);
  }
};

std::vector<Layer> make_layers(Problem& problem, CpuDevice& device) {
  const StepShape& shape = problem.shape();
  const std::vector<std::int64_t> active = active_slots(problem);
  std::vector<Layer> layers;
  for (std::byte* pool : all_pools(problem, PoolFormat::e4m3)) {
    layers.push_back({pool, device.allocate(at(shadow_bytes(shape)))});
    layers.back().refresh(device.threads(), shape, active);
  }
  return layers;
}

Pipeline build(Problem& problem, Device& any) {
  CpuDevice& device = cpu_device(any);
  const auto layers = std::make_shared<const std::vector<Layer>>(make_layers(problem, device));

  Pipeline pipeline;
  pipeline.push_back(
      {Stage::append, [&problem, &device, layers](int layer) {
         const StepShape& shape = problem.shape();
         const Layer& own = (*layers)[at(layer)];
         append_rows(device.threads(), {PoolFormat::e4m3, shape, own.pool}, problem.new_rows(layer),
                     problem.new_slots());
         own.refresh(device.threads(), shape, {problem.new_slots(), at(shape.new_tokens())});
       }});
  add_attention(pipeline, problem, device, [&problem, layers](int layer) {
    return pool_rows(problem, PoolFormat::bf16, (*layers)[at(layer)].shadow.as<std::byte>());
  });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "shadow_bf16",
     .device = DeviceKind::cpu,
     .summary = "keeps a BF16 copy of every pool and updates only new rows",
     .pool = PoolFormat::e4m3,
     .unsupported = cpu_unsupported,
     .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
       const double copied = cast_bytes(static_cast<double>(s.new_tokens()), s);
       return {{Stage::append, append_bytes(PoolFormat::e4m3, s) + copied},
               {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
     },
     .scratch_bytes = [](const StepShape& s) { return s.layers * shadow_bytes(s); },
     .build = build}};

}  // namespace
}  // namespace bench
