#pragma once

#include <cstdint>
#include <vector>

#include "workloads/parameters.h"

namespace bench {

// The decode step as one rank's kernels see it. MLA in the absorbed form: one latent row of
// `row_dim()` values a token and layer, shared by all query heads (kernels.md 1; FlashMLA).
struct StepShape {
  std::int64_t layers;
  std::int64_t requests;
  std::int64_t query_tokens;  // per request
  std::int64_t heads;         // query heads of this rank
  std::int64_t latent;        // kv_lora_rank: columns of a row that are also V
  std::int64_t rope;          // further columns of a row that only K has; 0 for NoPE models
  std::int64_t pool_tokens;   // slots of a layer's pool, a multiple of page_size
  std::int64_t page_size;
  std::vector<std::int64_t>
      context;  // [requests] tokens each request attends to, new ones included
  Placement placement;
  Launch launch;
  float softmax_scale;  // 1 / sqrt(qk_nope_head_dim + qk_rope_head_dim)
  float k_scale;        // K = k_scale x stored value
  float v_scale;        // V = v_scale x stored value (the first `latent` columns)

  [[nodiscard]] std::int64_t row_dim() const { return latent + rope; }
  [[nodiscard]] std::int64_t active_tokens() const;  // sum of context
  [[nodiscard]] std::int64_t new_tokens() const { return requests * query_tokens; }
  [[nodiscard]] std::int64_t max_context() const;
  // Tokens a query sees: query token t of a request sees context - query_tokens + 1 + t tokens.
  [[nodiscard]] std::int64_t visible(std::int64_t request, std::int64_t query_token) const;
};

// Throws Error (exit 2) for a combination that no kernel could mean (heads not divisible by
// tensor_parallel, pool smaller than the active tokens, ...).
// `ranks` that share the tokens of each request, where the mode is context: each has the same
// number of them, so that a context that they do not divide is rounded up.
StepShape step_shape(const Parameters& parameters, std::int64_t ranks = 1);

}  // namespace bench
