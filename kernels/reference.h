#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/shape.h"
#include "kernels/threads.h"

namespace bench {

// One query row of a request: a (query token, head).
struct ReferenceQuery {
  const std::uint16_t* query;  // bf16 [row_dim]
  std::int64_t visible;        // tokens it sees, from the oldest on
};

struct ReferenceOutput {
  std::vector<double> output;  // [latent]
  double lse;                  // natural logarithm
};

// Fills in the row of a token ([row_dim], in units of k_scale). Called from several threads.
using RowSource = std::function<void(std::int64_t token, std::span<double> row)>;

// What the attention of these queries of one request is, in FP64 and by the formula
// (design.md 3): softmax(q . k_scale x row x softmax_scale) times v_scale x row[:latent].
// Shares nothing with the kernels but number_formats.h.
std::vector<ReferenceOutput> reference_attention(const StepShape& shape,
                                                 std::span<const ReferenceQuery> queries,
                                                 const RowSource& rows, Threads& threads);

}  // namespace bench
