#include "kernels/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::int64_t kMaxPages = std::numeric_limits<std::int32_t>::max();  // page numbers: int32
constexpr std::int64_t kMaxRowDim = 1024;  // original_value() numbers the columns below it

void require_range(std::string_view name, std::int64_t value, std::int64_t low,
                   std::int64_t high = kMaxPages) {
  if (value < low || value > high) {
    fail_usage(format("{} {} is out of range: it must be {} to {}", name, value, low, high));
  }
}

float scale(std::string_view name, double value) {
  if (!(value >= 1e-9 && value <= 1e9)) {
    fail_usage(format("{} {} is out of range: it must be 1e-9 to 1e9", name, value));
  }
  return static_cast<float>(value);
}

void check_ranges(const Parameters& p) {
  require_range("layers", p.layers, 1, 100'000);
  require_range("tensor_parallel", p.tensor_parallel, 1);
  require_range("heads", p.heads, 1);
  require_range("kv_lora_rank", p.kv_lora_rank, 1, kMaxRowDim);
  require_range("qk_rope_head_dim", p.qk_rope_head_dim, 0, kMaxRowDim - p.kv_lora_rank);
  require_range("qk_nope_head_dim", p.qk_nope_head_dim, 1);
  require_range("concurrency", p.concurrency, 1);
  require_range("query_tokens", p.query_tokens, 1);
  require_range("context", p.context, 1);
  require_range("page_size", p.page_size, 1, 65536);
  require_range("pool_tokens", p.pool_tokens, 0, kMaxPages * p.page_size);
  if (p.heads % p.tensor_parallel != 0) {
    fail_usage(format("heads {} cannot be split over tensor_parallel {}: it must divide them",
                      p.heads, p.tensor_parallel));
  }
  if (p.context < p.query_tokens) {
    fail_usage(format("context {} is shorter than query_tokens {}: it counts the new tokens too",
                      p.context, p.query_tokens));
  }
}

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

std::int64_t StepShape::active_tokens() const {
  return std::accumulate(context.begin(), context.end(), std::int64_t{0});
}

std::int64_t StepShape::max_context() const { return *std::ranges::max_element(context); }

std::int64_t StepShape::visible(std::int64_t request, std::int64_t query_token) const {
  return context[static_cast<std::size_t>(request)] - query_tokens + 1 + query_token;
}

StepShape step_shape(const Parameters& p, std::int64_t ranks) {
  check_ranges(p);
  const bool shares = p.parallel == Parallel::context;
  const std::int64_t context = shares ? (p.context + ranks - 1) / ranks : p.context;
  const std::int64_t held = p.concurrency * round_up(context, p.page_size);
  if (p.pool_tokens != 0 && round_up(p.pool_tokens, p.page_size) < held) {
    fail_usage(
        format("pool_tokens {} cannot hold concurrency {} x context {} in pages of {}: it "
               "must be at least {}",
               p.pool_tokens, p.concurrency, context, p.page_size, held));
  }
  if (held / p.page_size > kMaxPages) {
    fail_usage(format("concurrency {} x context {} needs more than {} pages", p.concurrency,
                      context, kMaxPages));
  }
  return {.layers = p.layers,
          .requests = p.concurrency,
          .query_tokens = p.query_tokens,
          .heads = p.heads / p.tensor_parallel,
          .latent = p.kv_lora_rank,
          .rope = p.qk_rope_head_dim,
          .pool_tokens = p.pool_tokens == 0 ? held : round_up(p.pool_tokens, p.page_size),
          .page_size = p.page_size,
          .context = std::vector<std::int64_t>(static_cast<std::size_t>(p.concurrency), context),
          .placement = p.placement,
          .launch = p.launch,
          .softmax_scale =
              1.0F / std::sqrt(static_cast<float>(p.qk_nope_head_dim + p.qk_rope_head_dim)),
          .k_scale = scale("k_scale", p.k_scale),
          .v_scale = scale("v_scale", p.v_scale)};
}

}  // namespace bench
