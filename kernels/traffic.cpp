#include "kernels/traffic.h"

namespace bench {

double append_bytes(PoolFormat format, const StepShape& shape) {
  const std::int64_t row = row_bytes(PoolFormat::bf16, shape) + row_bytes(format, shape);
  return static_cast<double>(shape.new_tokens() * row);
}

double active_bytes(PoolFormat format, const StepShape& shape) {
  return static_cast<double>(shape.active_tokens() * row_bytes(format, shape));
}

double cast_bytes(double tokens, const StepShape& shape) {
  return tokens * static_cast<double>(row_bytes(PoolFormat::e4m3, shape) +
                                      row_bytes(PoolFormat::bf16, shape));
}

}  // namespace bench
