#include "kernels/cuda/stages.h"

#include <limits>

#include "kernels/cuda/attention_stage.h"
#include "kernels/cuda/pool_rows.h"

namespace bench::cuda {

std::string unsupported(const StepShape& shape, const DeviceInfo& device) {
  if (shape.pool_tokens > std::numeric_limits<std::int32_t>::max()) {
    return "numbers slots with 32 bits";
  }
  return attention_unsupported(shape, device);
}

std::vector<std::byte*> all_pools(Problem& problem, PoolFormat format) {
  std::vector<std::byte*> pools;
  pools.reserve(static_cast<std::size_t>(problem.shape().layers));
  for (int layer = 0; layer < problem.shape().layers; ++layer) {
    pools.push_back(static_cast<std::byte*>(problem.pool(format, layer)));
  }
  return pools;
}

SlotList SlotList::active(const Problem& problem, CudaDevice& device) {
  const StepShape& shape = problem.shape();
  std::vector<std::int32_t> slots;
  for (std::int64_t r = 0; r < shape.requests; ++r) {
    for (std::int64_t t = 0; t < shape.context[at(r)]; ++t) {
      slots.push_back(static_cast<std::int32_t>(problem.slots().slot(r, t)));
    }
  }
  return {problem, device, slots};
}

SlotList SlotList::fresh(const Problem& problem, CudaDevice& device) {
  const StepShape& shape = problem.shape();
  std::vector<std::int32_t> slots;
  for (std::int64_t r = 0; r < shape.requests; ++r) {
    for (std::int64_t t = 0; t < shape.query_tokens; ++t) {
      slots.push_back(static_cast<std::int32_t>(problem.slots().slot(r, shape.visible(r, t) - 1)));
    }
  }
  return {problem, device, slots};
}

RowList SlotList::rows(const std::byte* pool) const {
  return {.pool = reinterpret_cast<const std::uint8_t*>(pool),
          .slots = slots_.as<const std::int32_t>(),
          .count = count_,
          .row_dim = row_dim_};
}

StageCall append_stage(Problem& problem, CudaDevice& device, PoolFormat format) {
  return {Stage::append, [&, format, pools = all_pools(problem, format)](int layer) {
            append_rows({format, problem.shape(), pools[at(layer)]}, problem.new_rows(layer),
                        problem.new_slots(), device.stream());
          }};
}

KvRows pool_rows(const Problem& problem, PoolFormat format, const std::byte* data) {
  return {.format = format,
          .data = data,
          .row_bytes = row_bytes(format, problem.shape()),
          .page_offsets = problem.page_offsets(),
          .pages = problem.pages(),
          .page_size = problem.shape().page_size};
}

}  // namespace bench::cuda
