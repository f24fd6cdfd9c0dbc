#include "kernels/cpu/stages.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/cpu/rows.h"

namespace bench {

std::string cpu_unsupported(const StepShape& shape, const DeviceInfo& /*device*/) {
  if (shape.pool_tokens > std::numeric_limits<std::int32_t>::max()) {
    return "numbers slots with 32 bits";
  }
  return Attention::unsupported(shape);
}

std::vector<std::byte*> all_pools(Problem& problem, PoolFormat format) {
  std::vector<std::byte*> pools;
  pools.reserve(at(problem.shape().layers));
  for (int layer = 0; layer < problem.shape().layers; ++layer) {
    pools.push_back(static_cast<std::byte*>(problem.pool(format, layer)));
  }
  return pools;
}

std::vector<std::int64_t> active_slots(const Problem& problem) {
  const StepShape& shape = problem.shape();
  std::vector<std::int64_t> slots;
  for (std::int64_t r = 0; r < shape.requests; ++r) {
    for (std::int64_t t = 0; t < shape.context[at(r)]; ++t)
      slots.push_back(problem.slots().slot(r, t));
  }
  return slots;
}

StageCall append_stage(Problem& problem, CpuDevice& device, PoolFormat format) {
  return {Stage::append, [&, format, pools = all_pools(problem, format)](int layer) {
            append_rows(device.threads(), {format, problem.shape(), pools[at(layer)]},
                        problem.new_rows(layer), problem.new_slots());
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

void add_attention(Pipeline& pipeline, Problem& problem, CpuDevice& device,
                   std::function<KvRows(int layer)> rows) {
  const auto attention = std::make_shared<Attention>(problem, device);
  pipeline.push_back({Stage::attention, [attention, rows = std::move(rows)](int layer) {
                        attention->run(rows(layer), layer);
                      }});
  if (attention->is_split()) {
    pipeline.push_back({Stage::combine, [attention](int) { attention->combine(); }});
  }
}

CompactRows::CompactRows(Problem& problem, CpuDevice& device)
    : threads_(device.threads()), map_(problem.slots()), offsets_{0} {
  for (const std::int64_t tokens : problem.shape().context) {
    offsets_.push_back(offsets_.back() + static_cast<std::int32_t>(tokens));
  }
  const auto tokens = static_cast<std::size_t>(offsets_.back());
  const auto row_dim = static_cast<std::size_t>(problem.shape().row_dim());
  slots_ = device.allocate(tokens * sizeof(std::int32_t));
  indices_ = device.allocate(tokens * sizeof(std::int32_t));
  codes_ = device.allocate(tokens * row_dim);
  bf16_ = device.allocate(tokens * row_dim * 2);
}

void CompactRows::plan() {
  auto* slots = slots_.as<std::int32_t>();
  auto* indices = indices_.as<std::int32_t>();
  threads_.for_ranges(offsets_.back(), 1024, [&](std::int64_t begin, std::int64_t end) {
    auto next = std::ranges::upper_bound(offsets_, begin);
    for (std::int64_t i = begin; i < end; ++i) {
      if (i == *next) ++next;
      const std::int64_t request = next - offsets_.begin() - 1;
      slots[i] = static_cast<std::int32_t>(map_.slot(request, i - *(next - 1)));
      indices[i] = static_cast<std::int32_t>(i);
    }
  });
}

std::span<const std::int32_t> CompactRows::slots() const {
  return {slots_.as<const std::int32_t>(), static_cast<std::size_t>(offsets_.back())};
}

KvRows CompactRows::rows() const {
  const auto tokens = static_cast<std::int64_t>(offsets_.back());
  return {.format = PoolFormat::bf16,
          .data = bf16_.as<std::byte>(),
          .row_bytes = static_cast<std::int64_t>(bf16_.bytes()) / tokens,
          .page_offsets = offsets_.data(),
          .pages = indices_.as<std::int32_t>(),
          .page_size = 1};
}

std::int64_t CompactRows::bytes(const StepShape& shape) {
  return shape.active_tokens() * (2 * std::int64_t{sizeof(std::int32_t)} + 3 * shape.row_dim());
}

}  // namespace bench
