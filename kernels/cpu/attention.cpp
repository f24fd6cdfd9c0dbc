#include "kernels/cpu/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "harness/format.h"
#include "kernels/cpu/attention_kernel.h"

namespace bench {
namespace {

constexpr std::int64_t kTasksPerThread = 6;  // so that a slow core does not hold up the rest
constexpr std::int64_t kShortestRange = 64;  // tokens; below it, merging costs more than it wins

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::int64_t divide_up(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

constexpr std::int64_t kMaxLatent = 1024;

// Query rows of a task: blocks as even as multiples of 4 allow.
std::int64_t choose_row_block(std::int64_t rows) {
  return std::min(round_up(divide_up(rows, divide_up(rows, kMaxRows)), 4), kMaxRows);
}

// One row of output from its parts.
struct MergeTask {
  const float* sums;           // [parts] of [latent], rows_per_request x latent apart
  const SoftmaxState* states;  // [parts], rows_per_request apart
  std::int64_t parts;
  std::int64_t rows_per_request;
  std::int64_t latent;
  float v_scale;
  std::uint16_t* output;  // bf16 [latent]
  float* lse;
};

struct Merge {
  template <int Bytes>
  [[gnu::always_inline]] static void run(const MergeTask* task) {
    using F32 = typename simd::Lanes<Bytes>::F32;
    constexpr std::int64_t kStep = simd::Lanes<Bytes>::kCount;
    const MergeTask& t = *task;
    std::array<float, kMaxLatent> merged;
    std::fill_n(merged.begin(), t.latent, 0.0F);
    SoftmaxState all;
    for (std::int64_t p = 0; p < t.parts; ++p) {
      all.maximum = std::max(all.maximum, t.states[p * t.rows_per_request].maximum);
    }
    for (std::int64_t p = 0; p < t.parts; ++p) {
      const SoftmaxState& state = t.states[p * t.rows_per_request];
      const float* sums = t.sums + p * t.rows_per_request * t.latent;
      const float weight = std::exp2(state.maximum - all.maximum);
      all.sum += weight * state.sum;
      for (std::int64_t c = 0; c < t.latent; c += kStep) {
        const auto sum = simd::load<F32>(merged.data() + c);
        simd::store(merged.data() + c, F32(sum + simd::load<F32>(sums + c) * weight));
      }
    }
    const float factor = t.v_scale / all.sum;
    for (std::int64_t c = 0; c < t.latent; c += kStep) {
      simd::store_bf16<Bytes>(t.output + c, F32(simd::load<F32>(merged.data() + c) * factor));
    }
    *t.lse = (all.maximum + std::log2(all.sum)) * std::numbers::ln2_v<float>;
  }
};

}  // namespace

std::string Attention::unsupported(const StepShape& shape) {
  if (shape.latent % 64 != 0 || shape.rope % 64 != 0) {
    return format("needs latent and rope in multiples of 64, not {} and {}", shape.latent,
                  shape.rope);
  }
  return "";
}

Attention::Attention(Problem& problem, CpuDevice& device)
    : problem_(problem),
      threads_(device.threads()),
      shape_(problem.shape()),
      rows_per_request_(shape_.query_tokens * shape_.heads),
      parts_{0} {
  plan(choose_row_block(rows_per_request_));
  const auto rows = static_cast<std::size_t>(parts_.back() * rows_per_request_);
  sums_ = device.allocate(rows * static_cast<std::size_t>(shape_.latent) * sizeof(float));
  states_ = device.allocate(rows * sizeof(SoftmaxState));
  scratch_ = device.allocate(static_cast<std::size_t>(threads_.count() * scratch_stride()) *
                             sizeof(float));
  for (std::int64_t row = 0; row < rows_per_request_; ++row) {
    behind_.push_back(shape_.query_tokens - 1 - row / shape_.heads);
  }
}

void Attention::plan(std::int64_t row_block) {
  const std::int64_t blocks = divide_up(rows_per_request_, row_block);
  const std::int64_t wanted = threads_.count() * kTasksPerThread;
  const std::int64_t longest =
      std::max(divide_up(shape_.active_tokens() * blocks, wanted), kShortestRange);
  for (std::int64_t request = 0; request < shape_.requests; ++request) {
    const std::int64_t context = shape_.context[static_cast<std::size_t>(request)];
    const std::int64_t length = round_up(divide_up(context, divide_up(context, longest)), kTile);
    std::int64_t part = parts_.back();
    for (std::int64_t begin = 0; begin < context; begin += length, ++part) {
      for (std::int64_t row = 0; row < rows_per_request_; row += row_block) {
        tasks_.push_back({.request = request,
                          .first_row = row,
                          .rows = std::min(row_block, rows_per_request_ - row),
                          .begin = begin,
                          .end = std::min(begin + length, context),
                          .part = part});
      }
    }
    parts_.push_back(part);
  }
}

std::int64_t Attention::scratch_stride() const {
  return round_up(attention_scratch(shape_.row_dim()), 64);
}

void Attention::run(const KvRows& kv, int layer) {
  threads_.for_each(static_cast<std::int64_t>(tasks_.size()), [&](std::int64_t i) {
    run_task(kv, tasks_[static_cast<std::size_t>(i)], layer);
  });
}

void Attention::run_task(const KvRows& kv, const Task& task, int layer) {
  const std::int64_t query = task.request * rows_per_request_ + task.first_row;
  const std::int64_t row = task.part * rows_per_request_ + task.first_row;
  const AttentionTask kernel_task{
      .queries = problem_.queries(layer) + query * shape_.row_dim(),
      .behind = behind_.data() + task.first_row,
      .rows = task.rows,
      .row_dim = shape_.row_dim(),
      .latent = shape_.latent,
      .scale = shape_.softmax_scale * shape_.k_scale * std::numbers::log2e_v<float>,
      .context = shape_.context[static_cast<std::size_t>(task.request)],
      .begin = task.begin,
      .end = task.end,
      .data = kv.data,
      .row_bytes = kv.row_bytes,
      .pages = kv.pages + kv.page_offsets[task.request],
      .page_size = kv.page_size,
      .sums = sums_.as<float>() + row * shape_.latent,
      .states = states_.as<SoftmaxState>() + row,
      .scratch = scratch_.as<float>() + Threads::index() * scratch_stride()};
  switch (kv.format) {
    case PoolFormat::e4m3:
      simd::run<AttentionKernel<E4m3Rows>>(&kernel_task);
      break;
    case PoolFormat::bf16:
      simd::run<AttentionKernel<Bf16Rows>>(&kernel_task);
      break;
    case PoolFormat::ds_mla656:
      simd::run<AttentionKernel<DsMlaRows>>(&kernel_task);
      break;
  }
  if (!is_split()) merge(task.request, task.first_row, task.first_row + task.rows);
}

void Attention::combine() {
  threads_.for_ranges(
      shape_.requests * rows_per_request_, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          merge(i / rows_per_request_, i % rows_per_request_, i % rows_per_request_ + 1);
        }
      });
}

void Attention::merge(std::int64_t request, std::int64_t first_row, std::int64_t end_row) {
  const std::int64_t first_part = parts_[static_cast<std::size_t>(request)];
  const std::int64_t parts = parts_[static_cast<std::size_t>(request) + 1] - first_part;
  for (std::int64_t r = first_row; r < end_row; ++r) {
    const std::int64_t from = first_part * rows_per_request_ + r;
    const std::int64_t to = request * rows_per_request_ + r;
    const MergeTask task{.sums = sums_.as<float>() + from * shape_.latent,
                         .states = states_.as<SoftmaxState>() + from,
                         .parts = parts,
                         .rows_per_request = rows_per_request_,
                         .latent = shape_.latent,
                         .v_scale = shape_.v_scale,
                         .output = problem_.output() + to * shape_.latent,
                         .lse = problem_.lse() + to};
    simd::run<Merge>(&task);
  }
}

}  // namespace bench
