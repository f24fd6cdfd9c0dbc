#include <memory>
#include <vector>

#include "kernels/cuda/attention_stage.h"
#include "kernels/cuda/pool_rows.h"
#include "kernels/cuda/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// A BF16 shadow of each layer's pool is kept beside it, and only new rows are cast: none of the
// cast's traffic, three times the memory. Append writes each slot in both, so that a slot which a
// new request takes over leaves no old row behind.
namespace bench::cuda {
namespace {

std::int64_t shadow_bytes(const StepShape& shape) {
  return shape.pool_tokens * row_bytes(PoolFormat::bf16, shape);
}

class Shadows {
 public:
  Shadows(Problem& problem, CudaDevice& device)
      : problem_(problem),
        device_(device),
        pools_(all_pools(problem, PoolFormat::e4m3)),
        fresh_(SlotList::fresh(problem, device)) {
    const SlotList active = SlotList::active(problem, device);
    for (const std::byte* pool : pools_) {
      shadows_.push_back(device.allocate(at(shadow_bytes(problem.shape()))));
      cast_rows(shadows_.back().as<std::uint16_t>(), active.rows(pool), device.stream());
    }
    device.synchronise();
  }

  void append(int layer) const {
    std::byte* pool = pools_[at(layer)];
    append_rows({PoolFormat::e4m3, problem_.shape(), pool}, problem_.new_rows(layer),
                problem_.new_slots(), device_.stream());
    cast_rows(shadows_[at(layer)].as<std::uint16_t>(), fresh_.rows(pool), device_.stream());
  }

  [[nodiscard]] KvRows rows(int layer) const {
    return pool_rows(problem_, PoolFormat::bf16, shadows_[at(layer)].as<std::byte>());
  }

 private:
  Problem& problem_;
  CudaDevice& device_;
  std::vector<std::byte*> pools_;
  SlotList fresh_;
  std::vector<Buffer> shadows_;
};

Pipeline build(Problem& problem, Device& any) {
  CudaDevice& device = cuda_device(any);
  const auto shadows = std::make_shared<const Shadows>(problem, device);
  Pipeline pipeline{{Stage::append, [shadows](int layer) { shadows->append(layer); }}};
  add_attention(
      pipeline, problem, device, [shadows](int layer) { return shadows->rows(layer); },
      RowsAre::old);
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "shadow_bf16",
     .device = DeviceKind::cuda,
     .summary = "keeps a BF16 copy of every pool and updates only new rows",
     .pool = PoolFormat::e4m3,
     .unsupported = unsupported,
     .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
       const double copied = cast_bytes(static_cast<double>(s.new_tokens()), s);
       return {{Stage::append, append_bytes(PoolFormat::e4m3, s) + copied},
               {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
     },
     .scratch_bytes = [](const StepShape& s) { return s.layers * shadow_bytes(s); },
     .build = build}};

}  // namespace
}  // namespace bench::cuda
