#include "kernels/cuda/attention_stage.h"

#include <bit>
#include <memory>
#include <utility>

#include "kernels/cuda/attention.h"

namespace bench::cuda {
namespace {

// The attention of one variant's step: the kernel for its rows, and that kernel's workspace.
class PlannedAttention {
 public:
  PlannedAttention(Problem& problem, CudaDevice& device, PoolFormat format, RowsAre rows,
                   const DeviceInfo& limits)
      : problem_(problem),
        device_(device),
        plan_(plan_attention(format, problem.shape(), limits)),
        parts_(device.allocate(plan_.parts_bytes)),
        stats_(device.allocate(plan_.stats_bytes)),
        flags_(device.allocate(plan_.flags_bytes)),
        clock_(device.allocate(AttentionPlan::kClockBytes)),
        params_(attention_params(plan_, problem.shape())) {
    fill(parts_, 0xff);
    fill(stats_, 0);
    fill(flags_, 0);
    fill(clock_, 0);
    params_.contexts = problem.contexts();
    params_.output = problem.output();
    params_.lse = problem.lse();
    params_.parts = parts_.as<uint4>();
    params_.stats = stats_.as<uint4>();
    params_.flags = flags_.as<std::uint32_t>();
    params_.clock = clock_.as<unsigned long long>();
    params_.old_rows_are_there = rows == RowsAre::old ? 1 : 0;
  }

  void run(const KvRows& kv, int layer) const {
    AttentionParams params = params_;
    params.pool = kv.data;
    params.page_offsets = kv.page_offsets;
    params.pages = kv.pages;
    params.page_shift = std::countr_zero(static_cast<std::uint64_t>(kv.page_size));
    params.row_stride = static_cast<int>(kv.row_bytes);
    params.queries = problem_.queries(layer);
    launch_attention(plan_, params, device_.stream());
  }

 private:
  void fill(const Buffer& buffer, int byte) const {
    check(cudaMemsetAsync(buffer.as<void>(), byte, buffer.bytes(), device_.stream()),
          "filling the attention's workspace");
  }

  Problem& problem_;
  CudaDevice& device_;
  AttentionPlan plan_;
  Buffer parts_, stats_, flags_, clock_;
  AttentionParams params_;
};

}  // namespace

std::string attention_unsupported(const StepShape& shape, const DeviceInfo& device) {
  return attention_refusal(shape, device);
}

void add_attention(Pipeline& pipeline, Problem& problem, CudaDevice& device,
                   std::function<KvRows(int layer)> rows, RowsAre age, const DeviceInfo* limits) {
  const auto attention = std::make_shared<PlannedAttention>(
      problem, device, rows(0).format, age, limits != nullptr ? *limits : device.info());
  pipeline.push_back({Stage::attention, [attention, rows = std::move(rows)](int layer) {
                        attention->run(rows(layer), layer);
                      }});
}

}  // namespace bench::cuda
