#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/cpu/move.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/stages.h"
#include "kernels/traffic.h"
#include "kernels/variant.h"

// A negative control: casts the active rows where they lie. A BF16 row is twice as long as its
// slot, so it runs over the next one, and the next step takes what it finds for FP8. It does so in
// a private copy of the layer's pool, so that nobody else reads the damage.
namespace bench {
namespace {

class Victim {
 public:
  Victim(Problem& problem, CpuDevice& device)
      : problem_(problem),
        device_(device),
        pools_(all_pools(problem, PoolFormat::e4m3)),
        slots_(active_slots(problem)),
        copy_(device.allocate(at(copy_bytes(problem.shape())))) {}

  // The pool and room for the last row to run over.
  static std::int64_t copy_bytes(const StepShape& shape) {
    return (shape.pool_tokens + 1) * shape.row_dim();
  }

  void append(int layer) {
    const StepShape& shape = problem_.shape();
    if (layer != layer_) {
      std::memcpy(copy_.as<std::byte>(), pools_[at(layer)],
                  at(shape.pool_tokens * shape.row_dim()));
      layer_ = layer;
    }
    for (std::byte* pool : {pools_[at(layer)], copy_.as<std::byte>()}) {
      append_rows(device_.threads(), {PoolFormat::e4m3, shape, pool}, problem_.new_rows(layer),
                  problem_.new_slots());
    }
  }

  void cast() {
    const std::int64_t row_dim = problem_.shape().row_dim();
    alignas(64) std::array<std::uint8_t, 1024> codes{};
    for (const std::int64_t slot : slots_) {
      std::byte* row = copy_.as<std::byte>() + slot * row_dim;
      std::memcpy(codes.data(), row, at(row_dim));
      const std::int64_t first = 0;
      cast_rows(device_.threads(), reinterpret_cast<std::uint16_t*>(row), codes.data(), row_dim,
                {&first, 1});
    }
  }

  // The cast rows, one slot (half a row) apart.
  [[nodiscard]] KvRows rows() const {
    KvRows rows = pool_rows(problem_, PoolFormat::bf16, copy_.as<std::byte>());
    rows.row_bytes = problem_.shape().row_dim();
    return rows;
  }

 private:
  Problem& problem_;
  CpuDevice& device_;
  std::vector<std::byte*> pools_;
  std::vector<std::int64_t> slots_;
  Buffer copy_;
  int layer_ = -1;  // whose copy is held
};

Pipeline build(Problem& problem, Device& any) {
  CpuDevice& device = cpu_device(any);
  const auto victim = std::make_shared<Victim>(problem, device);
  Pipeline pipeline{{Stage::append, [victim](int layer) { victim->append(layer); }},
                    {Stage::cast, [victim](int) { victim->cast(); }}};
  add_attention(pipeline, problem, device, [victim](int) { return victim->rows(); });
  return pipeline;
}

const Register<KernelVariant> kRegistered{
    {.name = "inplace_cast",
     .device = DeviceKind::cpu,
     .summary = "negative control: overwrites FP8 rows by BF16, which must end incorrect",
     .pool = PoolFormat::e4m3,
     .negative_control = true,
     .unsupported = cpu_unsupported,
     .traffic = [](const StepShape& s) -> std::vector<StageTraffic> {
       return {{Stage::append, append_bytes(PoolFormat::e4m3, s)},
               {Stage::cast, cast_bytes(static_cast<double>(s.active_tokens()), s)},
               {Stage::attention, active_bytes(PoolFormat::bf16, s)}};
     },
     .scratch_bytes = Victim::copy_bytes,
     .build = build}};

}  // namespace
}  // namespace bench
