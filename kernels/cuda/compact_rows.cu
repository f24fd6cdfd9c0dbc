#include "kernels/cuda/compact_rows.h"
#include "kernels/cuda/stages.h"

namespace bench::cuda {
namespace {

constexpr unsigned kThreads = 256;

struct Lists {
  const std::int32_t* page_offsets;
  const std::int32_t* pages;
  const std::int32_t* offsets;
  std::int32_t* slots;
  std::int32_t* indices;
  std::int32_t page_size;
};

// A row of blocks is a request.
__global__ void list_slots(Lists lists) {
  const auto request = blockIdx.y;
  const auto token = static_cast<std::int32_t>(blockIdx.x * kThreads + threadIdx.x);
  const std::int32_t first = lists.offsets[request];
  if (token >= lists.offsets[request + 1] - first) return;
  const std::int32_t page = lists.pages[lists.page_offsets[request] + token / lists.page_size];
  lists.slots[first + token] = page * lists.page_size + token % lists.page_size;
  lists.indices[first + token] = first + token;
}

Buffer upload_offsets(const StepShape& shape, CudaDevice& device) {
  std::vector<std::int32_t> offsets{0};
  for (const std::int64_t tokens : shape.context) {
    offsets.push_back(offsets.back() + static_cast<std::int32_t>(tokens));
  }
  return upload(device, offsets);
}

}  // namespace

CompactRows::CompactRows(Problem& problem, CudaDevice& device)
    : problem_(problem),
      device_(device),
      tokens_(problem.shape().active_tokens()),
      row_dim_(problem.shape().row_dim()),
      offsets_(upload_offsets(problem.shape(), device)),
      slots_(device.allocate(at(tokens_) * sizeof(std::int32_t))),
      indices_(device.allocate(at(tokens_) * sizeof(std::int32_t))),
      codes_(device.allocate(at(tokens_ * row_dim_))),
      bf16_(device.allocate(at(tokens_ * row_dim_) * 2)) {}

void CompactRows::plan() const {
  const StepShape& shape = problem_.shape();
  const dim3 grid(static_cast<unsigned>((shape.max_context() + kThreads - 1) / kThreads),
                  static_cast<unsigned>(shape.requests));
  list_slots<<<grid, kThreads, 0, device_.stream()>>>(
      {.page_offsets = problem_.page_offsets(),
       .pages = problem_.pages(),
       .offsets = offsets_.as<std::int32_t>(),
       .slots = slots_.as<std::int32_t>(),
       .indices = indices_.as<std::int32_t>(),
       .page_size = static_cast<std::int32_t>(shape.page_size)});
  check_launch("plan");
}

RowList CompactRows::list(const std::byte* pool) const {
  return {.pool = reinterpret_cast<const std::uint8_t*>(pool),
          .slots = slots_.as<std::int32_t>(),
          .count = tokens_,
          .row_dim = static_cast<int>(row_dim_)};
}

KvRows CompactRows::rows() const {
  return {.format = PoolFormat::bf16,
          .data = bf16_.as<std::byte>(),
          .row_bytes = row_dim_ * 2,
          .page_offsets = offsets_.as<std::int32_t>(),
          .pages = indices_.as<std::int32_t>(),
          .page_size = 1};
}

std::int64_t CompactRows::bytes(const StepShape& shape) {
  return shape.active_tokens() * (2 * std::int64_t{sizeof(std::int32_t)} + 3 * shape.row_dim());
}

}  // namespace bench::cuda
