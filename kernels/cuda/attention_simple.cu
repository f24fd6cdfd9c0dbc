#include <cuda_bf16.h>

#include <algorithm>
#include <numbers>

#include "kernels/cuda/attention_simple.h"
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/stages.h"

namespace bench::cuda {
namespace {

constexpr int kRows = 16;  // the tile of an mma
constexpr int kKeys = 64;
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr int kLatent = 512;
constexpr int kColumns = kLatent / kWarps;  // of the output, a warp
constexpr int kWeightPitch = kKeys + 8;
constexpr float kNone = -INFINITY;

struct Launch {
  KvRows kv;
  const SimpleAttention::Task* tasks;
  const std::int32_t* first_parts;
  const std::int32_t* contexts;
  const std::uint16_t* queries;
  float* sums;
  float2* states;
  std::uint16_t* output;
  float* lse;
  int heads;
  int query_tokens;
  float score_scale;  // to log2 units
  float v_scale;
  bool split;

  [[nodiscard]] __device__ int rows_per_request() const { return heads * query_tokens; }
};

// A pitch of 16 bytes more than a multiple of 128 keeps ldmatrix free of bank conflicts.
template <int RowDim>
struct Shared {
  __nv_bfloat16 keys[kKeys][RowDim + 8];
  __nv_bfloat16 queries[kRows][RowDim + 8];
  __nv_bfloat16 weights[2][kRows][kWeightPitch];  // rounded, and what rounding left
  const std::byte* rows[kKeys];
  float reduced[kWarps][kRows];
};

__device__ __forceinline__ unsigned shared_at(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void load_matrices(std::uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_at(row))
               : "memory");
}

__device__ __forceinline__ void load_transposed(std::uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_at(row))
               : "memory");
}

__device__ __forceinline__ void multiply_add(float (&sum)[4], const std::uint32_t (&a)[4],
                                             std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Addresses of the task's keys, nullptr past the end: what lies there is never read.
template <int RowDim>
__device__ void find_rows(Shared<RowDim>& shared, const KvRows& kv, int request, int begin,
                          int end) {
  if (threadIdx.x >= kKeys) return;
  const int token = begin + static_cast<int>(threadIdx.x);
  const std::byte* row = nullptr;
  if (token < end) {
    const auto page_size = static_cast<int>(kv.page_size);
    const std::int64_t page = kv.pages[kv.page_offsets[request] + token / page_size];
    row = kv.data + (page * page_size + token % page_size) * kv.row_bytes;
  }
  shared.rows[threadIdx.x] = row;
}

template <PoolFormat Format, int RowDim>
__device__ void load_keys(Shared<RowDim>& shared) {
  constexpr int kValues = Format == PoolFormat::e4m3 ? 16 : 8;  // of 16 bytes
  constexpr int kChunks = RowDim / kValues;
#pragma unroll 9
  for (int i = static_cast<int>(threadIdx.x); i < kKeys * kChunks; i += kThreads) {
    const int key = i / kChunks;
    const int chunk = i % kChunks;
    const std::byte* row = shared.rows[key];
    uint4 loaded{};
    if (row != nullptr) loaded = __ldg(reinterpret_cast<const uint4*>(row) + chunk);
    auto* to = reinterpret_cast<uint4*>(&shared.keys[key][chunk * kValues]);
    if constexpr (Format == PoolFormat::e4m3) {
      to[0] = e4m3x8_to_bf16x8({loaded.x, loaded.y});
      to[1] = e4m3x8_to_bf16x8({loaded.z, loaded.w});
    } else {
      to[0] = loaded;
    }
  }
}

template <int RowDim>
__device__ void load_queries(Shared<RowDim>& shared, const Launch& launch,
                             const SimpleAttention::Task& task) {
  constexpr int kChunks = RowDim / 8;
  const std::int64_t first = std::int64_t{task.request} * launch.rows_per_request();
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kChunks; i += kThreads) {
    const int row = task.first_row + i / kChunks;
    uint4 loaded{};
    if (row < launch.rows_per_request()) {
      const std::uint16_t* from = launch.queries + (first + row) * RowDim;
      loaded = *(reinterpret_cast<const uint4*>(from) + i % kChunks);
    }
    *reinterpret_cast<uint4*>(&shared.queries[i / kChunks][i % kChunks * 8]) = loaded;
  }
}

// A lane (g, t) = (lane / 4, lane % 4) holds rows g and g + 8 of every mma.
struct Lane {
  int warp = static_cast<int>(threadIdx.x) / 32;
  int lane = static_cast<int>(threadIdx.x) % 32;
  int g = lane / 4;
  int t = lane % 4;
};

// Scores of the warp's own 16 keys.
template <int RowDim>
__device__ void score(float (&scores)[2][4], const Shared<RowDim>& shared, const Lane& my) {
  const int query = my.lane % 16;
  const int query_column = my.lane / 16 * 8;
  const int key = my.warp * 16 + my.lane / 16 * 8 + my.lane % 8;
  const int key_column = my.lane / 8 % 2 * 8;
#pragma unroll 4
  for (int c = 0; c < RowDim; c += 16) {
    std::uint32_t a[4];
    std::uint32_t b[4];
    load_matrices(a, &shared.queries[query][c + query_column]);
    load_matrices(b, &shared.keys[key][c + key_column]);
    multiply_add(scores[0], a, b[0], b[1]);
    multiply_add(scores[1], a, b[2], b[3]);
  }
}

// Adds weights x values to the warp's own columns.
template <int RowDim>
__device__ void accumulate(float (&sums)[kColumns / 8][4], const Shared<RowDim>& shared,
                           const Lane& my) {
  const int row = my.lane % 16;
  const int row_key = my.lane / 16 * 8;
  const int key = my.lane / 8 % 2 * 8 + my.lane % 8;
  const int column = my.warp * kColumns + my.lane / 16 * 8;
#pragma unroll
  for (int k = 0; k < kKeys; k += 16) {
    std::uint32_t rounded[4];
    std::uint32_t rest[4];
    load_matrices(rounded, &shared.weights[0][row][k + row_key]);
    load_matrices(rest, &shared.weights[1][row][k + row_key]);
#pragma unroll
    for (int n = 0; n < kColumns / 16; ++n) {
      std::uint32_t b[4];
      load_transposed(b, &shared.keys[k + key][column + n * 16]);
      multiply_add(sums[2 * n], rounded, b[0], b[1]);
      multiply_add(sums[2 * n], rest, b[0], b[1]);
      multiply_add(sums[2 * n + 1], rounded, b[2], b[3]);
      multiply_add(sums[2 * n + 1], rest, b[2], b[3]);
    }
  }
}

// Over the four lanes of a row, then over the warps: every lane gets its row's.
template <int RowDim, typename Fold>
__device__ float fold_row(Shared<RowDim>& shared, const Lane& my, int row, float value, Fold fold) {
  value = fold(value, __shfl_xor_sync(~0u, value, 1));
  value = fold(value, __shfl_xor_sync(~0u, value, 2));
  if (my.t == 0) shared.reduced[my.warp][row] = value;
  __syncthreads();
  value = shared.reduced[0][row];
  for (int warp = 1; warp < kWarps; ++warp) value = fold(value, shared.reduced[warp][row]);
  return value;
}

struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// The online softmax of the lane's two rows; `sum` is of the warp's keys only.
struct Softmax {
  float maximum[2] = {kNone, kNone};
  float sum[2] = {0, 0};
  float shrink[2];  // of what was summed before this tile

  // Turns scores into weights in shared memory.
  template <int RowDim>
  __device__ void weigh(const float (&scores)[2][4], Shared<RowDim>& shared, const Lane& my) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = my.g + half * 8;
      float largest = kNone;
      for (const auto& s : scores) largest = fmaxf(largest, fmaxf(s[2 * half], s[2 * half + 1]));
      largest = fmaxf(maximum[half], fold_row(shared, my, row, largest, Largest{}));
      const float base = largest == kNone ? 0 : largest;
      shrink[half] = exp2f(maximum[half] - base);
      maximum[half] = largest;
      sum[half] *= shrink[half];
      for (int n = 0; n < 2; ++n) {
        const float2 w{exp2f(scores[n][2 * half] - base), exp2f(scores[n][2 * half + 1] - base)};
        sum[half] += w.x + w.y;
        const std::uint32_t rounded = float2_to_bf16x2(w);
        const float2 back = bf16x2_to_float2(rounded);
        const int key = my.warp * 16 + n * 8 + my.t * 2;
        *reinterpret_cast<std::uint32_t*>(&shared.weights[0][row][key]) = rounded;
        *reinterpret_cast<std::uint32_t*>(&shared.weights[1][row][key]) =
            float2_to_bf16x2({w.x - back.x, w.y - back.y});
      }
    }
  }
};

// Scales the scores and hides the keys that a row must not see.
__device__ void mask(float (&scores)[2][4], const int (&visible)[2], int first_key, float scale,
                     const Lane& my) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int key = first_key + my.warp * 16 + n * 8 + my.t * 2 + i % 2;
      scores[n][i] = key < visible[i / 2] ? scores[n][i] * scale : kNone;
    }
  }
}

// The lane's row (0: g, 1: g + 8) of a task that is done.
template <typename Sums>
__device__ void store_row(const Launch& launch, const SimpleAttention::Task& task, const Lane& my,
                          int half, const Sums& sums, float2 state) {
  const int row = task.first_row + my.g + half * 8;
  if (row >= launch.rows_per_request()) return;
  const int column = my.warp * kColumns + my.t * 2;
  const float norm = state.y > 0 ? 1 / state.y : 0;
  if (launch.split) {
    const std::int64_t to = std::int64_t{task.part} * launch.rows_per_request() + row;
    for (int n = 0; n < kColumns / 8; ++n) {
      *reinterpret_cast<float2*>(launch.sums + to * kLatent + column + n * 8) = {
          sums[n][2 * half] * norm, sums[n][2 * half + 1] * norm};
    }
    if (my.warp == 0 && my.t == 0) launch.states[to] = state;
    return;
  }
  const std::int64_t to = std::int64_t{task.request} * launch.rows_per_request() + row;
  const float scale = norm * launch.v_scale;
  for (int n = 0; n < kColumns / 8; ++n) {
    *reinterpret_cast<std::uint32_t*>(launch.output + to * kLatent + column + n * 8) =
        float2_to_bf16x2({sums[n][2 * half] * scale, sums[n][2 * half + 1] * scale});
  }
  if (my.warp == 0 && my.t == 0) {
    launch.lse[to] = (state.x + log2f(state.y)) * std::numbers::ln2_v<float>;
  }
}

template <PoolFormat Format, int RowDim>
__global__ __launch_bounds__(kThreads) void attend(Launch launch) {
  extern __shared__ uint4 memory[];
  auto& shared = *reinterpret_cast<Shared<RowDim>*>(memory);
  const SimpleAttention::Task task = launch.tasks[blockIdx.x];
  const Lane my;
  int visible[2];
  for (int half = 0; half < 2; ++half) {
    const int query_token = (task.first_row + my.g + half * 8) / launch.heads;
    visible[half] = launch.contexts[task.request] - launch.query_tokens + 1 + query_token;
    visible[half] = min(visible[half], task.end);
  }
  load_queries(shared, launch, task);

  float sums[kColumns / 8][4] = {};
  Softmax softmax;
  for (int key = task.begin; key < task.end; key += kKeys) {
    __syncthreads();  // the tile before is done with
    find_rows(shared, launch.kv, task.request, key, task.end);
    __syncthreads();
    load_keys<Format>(shared);
    __syncthreads();
    float scores[2][4] = {};
    score(scores, shared, my);
    mask(scores, visible, key, launch.score_scale, my);
    softmax.weigh(scores, shared, my);
    __syncthreads();
    for (auto& sum : sums) {
      for (int i = 0; i < 4; ++i) sum[i] *= softmax.shrink[i / 2];
    }
    accumulate(sums, shared, my);
  }
  for (int half = 0; half < 2; ++half) {
    __syncthreads();
    const float sum = fold_row(shared, my, my.g + half * 8, softmax.sum[half], Sum{});
    store_row(launch, task, my, half, sums, {softmax.maximum[half], sum});
  }
}

// A block is a query row, a thread four of its columns. Parts are added first to last.
__global__ void merge_parts(Launch launch) {
  const int rows = launch.rows_per_request();
  const auto request = static_cast<int>(blockIdx.x) / rows;
  const int row = static_cast<int>(blockIdx.x) % rows;
  const int first = launch.first_parts[request];
  const int end = launch.first_parts[request + 1];
  float maximum = kNone;
  for (int part = first; part < end; ++part) {
    maximum = fmaxf(maximum, launch.states[std::int64_t{part} * rows + row].x);
  }
  float sum = 0;
  float4 merged{};
  for (int part = first; part < end; ++part) {
    const std::int64_t from = std::int64_t{part} * rows + row;
    const float2 state = launch.states[from];
    const float weight = state.y * exp2f(state.x - maximum);
    const float4 own = *reinterpret_cast<const float4*>(launch.sums + from * kLatent +
                                                        std::int64_t{threadIdx.x} * 4);
    sum += weight;
    merged.x += weight * own.x;
    merged.y += weight * own.y;
    merged.z += weight * own.z;
    merged.w += weight * own.w;
  }
  const float scale = launch.v_scale / sum;
  auto* to = reinterpret_cast<uint2*>(launch.output + std::int64_t{blockIdx.x} * kLatent);
  to[threadIdx.x] = {float2_to_bf16x2({merged.x * scale, merged.y * scale}),
                     float2_to_bf16x2({merged.z * scale, merged.w * scale})};
  if (threadIdx.x == 0) {
    launch.lse[blockIdx.x] = (maximum + log2f(sum)) * std::numbers::ln2_v<float>;
  }
}

using Kernel = void (*)(Launch);

Kernel kernel_for(PoolFormat format, std::int64_t row_dim) {
  if (format == PoolFormat::e4m3) {
    return row_dim == kLatent ? attend<PoolFormat::e4m3, 512> : attend<PoolFormat::e4m3, 576>;
  }
  return row_dim == kLatent ? attend<PoolFormat::bf16, 512> : attend<PoolFormat::bf16, 576>;
}

int shared_bytes(std::int64_t row_dim) {
  return static_cast<int>(row_dim == kLatent ? sizeof(Shared<512>) : sizeof(Shared<576>));
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::string SimpleAttention::unsupported(const StepShape& shape, const DeviceInfo& device) {
  if (shape.latent != kLatent) return "needs a latent of 512";
  if (shape.rope != 0 && shape.rope != 64) return "needs 64 or 0 rope columns";
  if (device.compute_capability < 80) return "needs compute capability 8.0";
  if (device.shared_memory_per_block < shared_bytes(shape.row_dim())) {
    return "needs more shared memory a block than the device has";
  }
  return {};
}

SimpleAttention::SimpleAttention(Problem& problem, CudaDevice& device)
    : problem_(problem),
      device_(device),
      rows_per_request_(problem.shape().heads * problem.shape().query_tokens) {
  const StepShape& shape = problem.shape();
  plan(device.info().multiprocessors);
  tasks_ = upload(device, host_tasks_);
  first_parts_ = upload(device, host_first_parts_);
  if (is_split()) {
    sums_ = device.allocate(at(parts_ * rows_per_request_ * kLatent) * sizeof(float));
    states_ = device.allocate(at(parts_ * rows_per_request_) * sizeof(float2));
  }
  for (const PoolFormat format : {PoolFormat::e4m3, PoolFormat::bf16}) {
    check(cudaFuncSetAttribute(kernel_for(format, shape.row_dim()),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared_bytes(shape.row_dim())),
          "shared memory of the attention");
  }
}

// Ranges of equal length for all requests, so many that two blocks an SM have work.
void SimpleAttention::plan(int multiprocessors) {
  const StepShape& shape = problem_.shape();
  std::int64_t tiles = 0;
  for (const std::int64_t context : shape.context) {
    tiles += divide_up(context, kKeys) * divide_up(rows_per_request_, kRows);
  }
  const std::int64_t longest = divide_up(tiles, std::int64_t{2} * multiprocessors);
  host_first_parts_ = {0};
  for (std::int64_t request = 0; request < shape.requests; ++request) {
    const std::int64_t context = shape.context[at(request)];
    const std::int64_t own = divide_up(context, kKeys);
    const std::int64_t length = divide_up(own, divide_up(own, longest)) * kKeys;
    for (std::int64_t begin = 0; begin < context; begin += length, ++parts_) {
      for (std::int64_t row = 0; row < rows_per_request_; row += kRows) {
        host_tasks_.push_back({.request = static_cast<std::int32_t>(request),
                               .first_row = static_cast<std::int32_t>(row),
                               .begin = static_cast<std::int32_t>(begin),
                               .end = static_cast<std::int32_t>(std::min(begin + length, context)),
                               .part = static_cast<std::int32_t>(parts_)});
      }
    }
    host_first_parts_.push_back(static_cast<std::int32_t>(parts_));
  }
}

static Launch describe(const Problem& problem, int layer) {
  const StepShape& shape = problem.shape();
  return {.contexts = problem.contexts(),
          .queries = problem.queries(layer),
          .output = problem.output(),
          .lse = problem.lse(),
          .heads = static_cast<int>(shape.heads),
          .query_tokens = static_cast<int>(shape.query_tokens),
          .score_scale = shape.softmax_scale * shape.k_scale * std::numbers::log2e_v<float>,
          .v_scale = shape.v_scale};
}

void SimpleAttention::run(const KvRows& kv, int layer) const {
  Launch launch = describe(problem_, layer);
  launch.kv = kv;
  launch.tasks = tasks_.as<const Task>();
  launch.sums = sums_.as<float>();
  launch.states = states_.as<float2>();
  launch.split = is_split();
  const std::int64_t row_dim = problem_.shape().row_dim();
  kernel_for(
      kv.format,
      row_dim)<<<static_cast<unsigned>(host_tasks_.size()), kThreads,
                 static_cast<std::size_t>(shared_bytes(row_dim)), device_.stream()>>>(launch);
  check_launch("attention");
}

void SimpleAttention::combine() const {
  Launch launch = describe(problem_, 0);
  launch.first_parts = first_parts_.as<const std::int32_t>();
  launch.sums = sums_.as<float>();
  launch.states = states_.as<float2>();
  merge_parts<<<static_cast<unsigned>(problem_.shape().requests * rows_per_request_), kLatent / 4,
                0, device_.stream()>>>(launch);
  check_launch("combine");
}

}  // namespace bench::cuda
