#include <memory>

#include "kernels/cuda/attention_stage.h"
#include "kernels/cuda/pool_rows.h"
#include "kernels/cuda/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// A negative control: casts the active rows where they lie. A BF16 row is twice as long as its
// slot, so it runs over the next one, and the next step takes what it finds for FP8. It does so in
// a private copy of the layer's pool, so that nobody else reads the damage.
namespace bench::cuda {
namespace {

class Victim {
 public:
  Victim(Problem& problem, CudaDevice& device)
      : problem_(problem),
        device_(device),
        pools_(all_pools(problem, PoolFormat::e4m3)),
        active_(SlotList::active(problem, device)),
        copy_(device.allocate(at(copy_bytes(problem.shape())))) {}

  // The pool and room for the last row to run over.
  static std::int64_t copy_bytes(const StepShape& shape) {
    return (shape.pool_tokens + 1) * shape.row_dim();
  }

  void append(int layer) {
    const StepShape& shape = problem_.shape();
    if (layer != layer_) {
      check(cudaMemcpyAsync(copy_.as<void>(), pools_[at(layer)],
                            at(shape.pool_tokens * shape.row_dim()), cudaMemcpyDeviceToDevice,
                            device_.stream()),
            "copy of the pool");
      layer_ = layer;
    }
    for (std::byte* pool : {pools_[at(layer)], copy_.as<std::byte>()}) {
      append_rows({PoolFormat::e4m3, shape, pool}, problem_.new_rows(layer), problem_.new_slots(),
                  device_.stream());
    }
  }

  void cast() const {
    cast_in_place(copy_.as<std::uint8_t>(), active_.rows(copy_.as<std::byte>()), device_.stream());
  }

  // The cast rows, one slot (half a row) apart.
  [[nodiscard]] KvRows rows() const {
    KvRows rows = pool_rows(problem_, PoolFormat::bf16, copy_.as<std::byte>());
    rows.row_bytes = problem_.shape().row_dim();
    return rows;
  }

 private:
  Problem& problem_;
  CudaDevice& device_;
  std::vector<std::byte*> pools_;
  SlotList active_;
  Buffer copy_;
  int layer_ = -1;  // whose copy is held
};

Pipeline build(Problem& problem, Device& any) {
  CudaDevice& device = cuda_device(any);
  const auto victim = std::make_shared<Victim>(problem, device);
  Pipeline pipeline{{Stage::append, [victim](int layer) { victim->append(layer); }},
                    {Stage::cast, [victim](int) { victim->cast(); }}};
  add_attention(pipeline, problem, device, [victim](int) { return victim->rows(); });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "inplace_cast",
     .device = DeviceKind::cuda,
     .summary = "negative control: overwrites FP8 rows by BF16, which must end incorrect",
     .pool = PoolFormat::e4m3,
     .negative_control = true,
     .unsupported = unsupported,
     .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
       return {{Stage::append, append_bytes(PoolFormat::e4m3, s)},
               {Stage::cast, cast_bytes(static_cast<double>(s.active_tokens()), s)},
               {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
     },
     .scratch_bytes = Victim::copy_bytes,
     .build = build}};

}  // namespace
}  // namespace bench::cuda
