#include "kernels/cuda/attention_stage.h"

#include <memory>
#include <utility>

#include "kernels/cuda/attention_simple.h"

namespace bench::cuda {

std::string attention_unsupported(const StepShape& shape, const DeviceInfo& device) {
  return SimpleAttention::unsupported(shape, device);
}

void add_attention(Pipeline& pipeline, Problem& problem, CudaDevice& device,
                   std::function<KvRows(int layer)> rows) {
  const auto attention = std::make_shared<SimpleAttention>(problem, device);
  pipeline.push_back({Stage::attention, [attention, rows = std::move(rows)](int layer) {
                        attention->run(rows(layer), layer);
                      }});
  if (attention->is_split()) {
    pipeline.push_back({Stage::combine, [attention](int) { attention->combine(); }});
  }
}

}  // namespace bench::cuda
