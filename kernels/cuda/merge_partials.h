#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace bench::cuda {

// Attention over parts of the tokens becomes attention over all: rows weighted by
// exp(lse of the part - lse of all). Device memory.
struct PartialsMerge {
  const std::uint16_t* outputs;  // bf16 [parts, rows, latent]
  const float* lses;             // natural log [parts, rows]
  int parts;
  std::int64_t rows;
  std::int64_t latent;    // a multiple of 4
  std::uint16_t* output;  // bf16 [rows, latent]
  float* lse;             // [rows]
};
void merge_partials(const PartialsMerge& merge, cudaStream_t stream);

}  // namespace bench::cuda
