#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/convert.h"
#include "kernels/cpu/simd.h"
#include "kernels/pool_format.h"

namespace bench {

// The attention of a few query rows over a range of one request's tokens, FP32 throughout.
//
// A tile of kTile rows is widened to FP32 once and used for all query rows: scores as dot products
// in blocks of query rows x tokens, softmax along the tile, sums in blocks of query rows x columns.
// Per token: rows x (row_dim + latent) multiply-adds, and row_dim conversions.

inline constexpr std::int64_t kTile = 32;     // tokens
inline constexpr std::int64_t kMaxRows = 16;  // query rows of a task
inline constexpr float kNothing = -1e30F;     // the maximum of no scores, finite on purpose

// The softmax of one query row so far, in powers of two.
struct SoftmaxState {
  float maximum = kNothing;
  float sum = 0;
};

struct AttentionTask {
  const std::uint16_t* queries;  // bf16 [rows, row_dim]
  const std::int64_t* behind;    // [rows] newest tokens of the request that a row does not see
  std::int64_t rows;
  std::int64_t row_dim;
  std::int64_t latent;
  float scale;           // of the scores, log2(e) included
  std::int64_t context;  // tokens of the request
  std::int64_t begin;    // tokens of this task
  std::int64_t end;
  const std::byte* data;  // the pool
  std::int64_t row_bytes;
  const std::int32_t* pages;  // of the request
  std::int64_t page_size;
  float* sums;           // [rows, latent], not normalised
  SoftmaxState* states;  // [rows]
  float* scratch;        // [attention_scratch(row_dim)]

  [[nodiscard]] const std::byte* row(std::int64_t token) const {
    const auto page = static_cast<std::uint32_t>(token) / static_cast<std::uint32_t>(page_size);
    return data + (pages[page] * page_size + token - page * page_size) * row_bytes;
  }
};

// Floats of scratch a task needs: queries, a tile of rows, and their scores.
constexpr std::int64_t attention_scratch(std::int64_t row_dim) {
  return (kMaxRows + kTile) * row_dim + kMaxRows * kTile;
}

template <int Bytes>
using F32 = typename simd::Lanes<Bytes>::F32;

struct E4m3Rows {
  template <int Bytes>
  [[gnu::always_inline]] static void widen(const std::byte* row, float* to, std::int64_t row_dim,
                                           std::int64_t /*latent*/) {
    constexpr std::int64_t kCount = simd::Lanes<Bytes>::kCount;
    for (std::int64_t c = 0; c < row_dim; c += 2 * kCount) {
      const auto values = simd::load_e4m3<Bytes>(row + c);
      simd::store(to + c, values.first);
      simd::store(to + c + kCount, values.second);
    }
  }
};

struct Bf16Rows {
  template <int Bytes>
  [[gnu::always_inline]] static void widen(const std::byte* row, float* to, std::int64_t row_dim,
                                           std::int64_t /*latent*/) {
    for (std::int64_t c = 0; c < row_dim; c += simd::Lanes<Bytes>::kCount) {
      simd::store(to + c, simd::load_bf16<Bytes>(row + 2 * c));
    }
  }
};

// latent codes | a scale for each kScaleTile of them | rope
struct DsMlaRows {
  template <int Bytes>
  [[gnu::always_inline]] static void widen(const std::byte* row, float* to, std::int64_t row_dim,
                                           std::int64_t latent) {
    constexpr std::int64_t kCount = simd::Lanes<Bytes>::kCount;
    const std::byte* scales = row + latent;
    for (std::int64_t tile = 0; tile < latent; tile += kScaleTile) {
      const auto scale = simd::load<float>(scales);
      for (std::int64_t c = tile; c < tile + kScaleTile; c += 2 * kCount) {
        const auto values = simd::load_e4m3<Bytes>(row + c);
        simd::store(to + c, F32<Bytes>(values.first * scale));
        simd::store(to + c + kCount, F32<Bytes>(values.second * scale));
      }
      scales += sizeof scale;
    }
    Bf16Rows::widen<Bytes>(scales, to + latent, row_dim - latent, 0);
  }
};

template <typename Rows>
class AttentionKernel {
 public:
  template <int Bytes>
  [[gnu::always_inline]] static void run(const AttentionTask* task) {
    const AttentionTask& t = *task;
    float* queries = t.scratch;
    float* tile = queries + kMaxRows * t.row_dim;
    float* scores = tile + kTile * t.row_dim;
    for (std::int64_t token = t.begin; token < std::min(t.begin + kTile, t.end); ++token) {
      prefetch_row(t, token);
    }
    load_queries<Bytes>(t, queries);
    std::fill_n(t.sums, t.rows * t.latent, 0.0F);
    std::fill_n(t.states, t.rows, SoftmaxState{});
    for (std::int64_t token = t.begin; token < t.end; token += kTile) {
      const std::int64_t count = std::min(kTile, t.end - token);
      for (std::int64_t i = 0; i < count; ++i) {
        prefetch_row(t, std::min(token + i + kTile, t.end - 1));
        Rows::template widen<Bytes>(t.row(token + i), tile + i * t.row_dim, t.row_dim, t.latent);
      }
      // Blocks past the end of a short tile reuse old rows; the mask drops their scores.
      in_blocks<Bytes>(
          t.rows, [&](auto block, std::int64_t row) __attribute__((always_inline)) {
            score_block<Bytes, block()>(t, queries + row * t.row_dim, tile, scores + row * kTile,
                                        count);
          });
      for (std::int64_t row = 0; row < t.rows; ++row) {
        const std::int64_t visible = t.context - t.behind[row] - token;
        softmax_row<Bytes>(t, row, std::clamp<std::int64_t>(visible, 0, count),
                           scores + row * kTile);
      }
      in_blocks<Bytes>(
          t.rows, [&](auto block, std::int64_t row) __attribute__((always_inline)) {
            sum_block<Bytes, block()>(t, tile, scores + row * kTile, t.sums + row * t.latent,
                                      count);
          });
    }
  }

 private:
  template <int Bytes>
  static constexpr std::int64_t kLanes = simd::Lanes<Bytes>::kCount;
  // Accumulators are block x 4 registers, of 32 (AVX-512) or 16.
  template <int Bytes>
  static constexpr int kBlock = Bytes == 64 ? 4 : 2;

  // Calls body(block size, first row) for the rows in full blocks, then one by one.
  template <int Bytes, typename Body>
  [[gnu::always_inline]] static void in_blocks(std::int64_t rows, const Body& body) {
    std::int64_t row = 0;
    for (; row + kBlock<Bytes> <= rows; row += kBlock<Bytes>) {
      body(std::integral_constant<int, kBlock<Bytes>>{}, row);
    }
    for (; row < rows; ++row) body(std::integral_constant<int, 1>{}, row);
  }

  [[gnu::always_inline]] static void prefetch_row(const AttentionTask& t, std::int64_t token) {
    const std::byte* row = t.row(token);
    for (std::int64_t b = 0; b < t.row_bytes; b += 64) simd::prefetch(row + b);
  }

  template <int Bytes>
  [[gnu::always_inline]] static void load_queries(const AttentionTask& t, float* queries) {
    for (std::int64_t i = 0; i < t.rows * t.row_dim; i += kLanes<Bytes>) {
      simd::store(queries + i, simd::load_bf16<Bytes>(t.queries + i) * t.scale);
    }
  }

  template <int Bytes, int Block>
  [[gnu::always_inline]] static void score_block(const AttentionTask& t, const float* queries,
                                                 const float* tile, float* scores,
                                                 std::int64_t count) {
    constexpr int kTokens = 4;
    for (std::int64_t token = 0; token < count; token += kTokens) {
      const float* keys = tile + token * t.row_dim;
      F32<Bytes> products[Block][kTokens] = {};
      for (std::int64_t c = 0; c < t.row_dim; c += kLanes<Bytes>) {
        F32<Bytes> key[kTokens];
        for (int k = 0; k < kTokens; ++k) {
          key[k] = simd::load<F32<Bytes>>(keys + k * t.row_dim + c);
        }
        for (int q = 0; q < Block; ++q) {
          const auto query = simd::load<F32<Bytes>>(queries + q * t.row_dim + c);
          for (int k = 0; k < kTokens; ++k) products[q][k] += query * key[k];
        }
      }
      for (int q = 0; q < Block; ++q) {
        for (int k = 0; k < kTokens; ++k) scores[q * kTile + token + k] = simd::sum(products[q][k]);
      }
    }
  }

  // Scores of the first `visible` tokens to weights, relative to the largest score so far; older
  // sums are scaled down to it.
  template <int Bytes>
  [[gnu::always_inline]] static void softmax_row(const AttentionTask& t, std::int64_t row,
                                                 std::int64_t visible, float* scores) {
    using V = F32<Bytes>;
    constexpr std::int64_t kStep = kLanes<Bytes>;
    std::fill(scores + visible, scores + kTile, 2 * kNothing);
    SoftmaxState& state = t.states[row];
    V most = V{} + state.maximum;
    for (std::int64_t i = 0; i < kTile; i += kStep) {
      const auto score = simd::load<V>(scores + i);
      most = score > most ? score : most;
    }
    const float maximum = simd::maximum(most);
    V weights{};
    for (std::int64_t i = 0; i < kTile; i += kStep) {
      const V weight = simd::exp2<Bytes>(V(simd::load<V>(scores + i) - maximum));
      simd::store(scores + i, weight);
      weights += weight;
    }
    const V older = simd::exp2<Bytes>(V(V{} + (state.maximum - maximum)));
    if (state.maximum != maximum) {
      float* sums = t.sums + row * t.latent;
      for (std::int64_t c = 0; c < t.latent; c += kStep) {
        simd::store(sums + c, V(simd::load<V>(sums + c) * older));
      }
    }
    state = {.maximum = maximum, .sum = state.sum * older[0] + simd::sum(weights)};
  }

  template <int Bytes, int Block>
  [[gnu::always_inline]] static void sum_block(const AttentionTask& t, const float* tile,
                                               const float* weights, float* sums,
                                               std::int64_t count) {
    constexpr int kColumns = 4;
    for (std::int64_t c = 0; c < t.latent; c += kColumns * kLanes<Bytes>) {
      F32<Bytes> sum[Block][kColumns];
      for (int q = 0; q < Block; ++q) {
        for (int k = 0; k < kColumns; ++k) {
          sum[q][k] = simd::load<F32<Bytes>>(sums + q * t.latent + c + k * kLanes<Bytes>);
        }
      }
      for (std::int64_t token = 0; token < count; ++token) {
        const float* values = tile + token * t.row_dim + c;
        F32<Bytes> value[kColumns];
        for (int k = 0; k < kColumns; ++k) {
          value[k] = simd::load<F32<Bytes>>(values + k * kLanes<Bytes>);
        }
        for (int q = 0; q < Block; ++q) {
          for (int k = 0; k < kColumns; ++k) sum[q][k] += weights[q * kTile + token] * value[k];
        }
      }
      for (int q = 0; q < Block; ++q) {
        for (int k = 0; k < kColumns; ++k) {
          simd::store(sums + q * t.latent + c + k * kLanes<Bytes>, sum[q][k]);
        }
      }
    }
  }
};

}  // namespace bench
