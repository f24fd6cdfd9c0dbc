#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/device.h"
#include "kernels/pool_format.h"
#include "kernels/shape.h"

namespace bench::cuda {

// One layer's attention: out = softmax(q K^T x scale) V over each request's slots, V being the
// first 512 columns of K's rows. All pointers are device memory.
struct AttentionParams {
  const void* pool;                  // [pool_tokens, row bytes of the format]
  const std::int32_t* page_offsets;  // [requests + 1] into pages
  const std::int32_t* pages;         // page numbers, request after request
  const std::int32_t* contexts;      // [requests] tokens, new ones included
  const std::uint16_t* queries;      // bf16 [requests, query_tokens, heads, 512 + rope]
  std::uint16_t* output;             // bf16 [requests, query_tokens, heads, 512]
  float* lse;                        // natural log [requests, query_tokens, heads]

  // Workspace. Before the first launch every byte of parts is 0xff and the rest zero; each launch
  // leaves it ready for the next.
  uint4* parts;               // [2 x CTAs, rows of a CTA x 128] float4 in the kernel's own order;
                              // of many rows eight f16 in half as many
  uint4* stats;               // [2 x CTAs, rows of a CTA]
  std::uint32_t* flags;       // [2 x CTAs] the launch that wrote a part last
  unsigned long long* clock;  // [1] counts launches

  int requests;
  int heads;
  int query_tokens;
  int rope;                // 64 or 0
  int row_stride;          // bytes from one slot to the next
  int page_shift;          // log2 of the page size
  int row_blocks;          // CTAs that share a request's tokens, each with its own query rows
  int few_parts;           // most parts of a request that one CTA merges alone
  int unit_log2;           // of the tokens of a unit, in which work is dealt out
  int request_cost;        // units that a request costs whatever its length
  int min_units_log2;      // of the fewest units worth a CTA of their own
  int old_rows_are_there;  // 1: all rows but the new tokens' are in memory before the step begins;
                           // 0: the kernel before this one may have written rows and page table
  float score_scale;       // softmax scale x k_scale x log2(e)
  float v_scale;
};

// A kernel of the family, and what it asks of a device.
struct AttentionKernel {
  const char* name;
  PoolFormat format;
  int rows;       // query rows (heads x query tokens) of a CTA
  int few_parts;  // see AttentionParams, as the next
  int unit_log2;
  int request_cost;
  int threads;
  int shared_bytes;
  int least_capability;  // 80, 90
  int only_capability;   // 90 for what later devices lack too; 0: none
  int least_tokens = 0;  // of a CTA, from which on it is the better of two for the same rows
  const void* function;
};

// The kernel that serves a shape on a device, and the workspace it needs.
struct AttentionPlan {
  AttentionKernel kernel;
  int row_blocks = 1;
  int grid = 0;
  std::size_t parts_bytes = 0;                   // filled with 0xff
  std::size_t stats_bytes = 0;                   // zeroed
  std::size_t flags_bytes = 0;                   // zeroed
  static constexpr std::size_t kClockBytes = 8;  // zeroed
};

// Why no kernel can do the shape; empty: one can. By the device's limits and capability.
std::string attention_refusal(const StepShape& shape, const DeviceInfo& device);

// `portable`: the kernels without the copy engine and Hopper's mma, whatever the device has.
AttentionPlan plan_attention(PoolFormat format, const StepShape& shape, const DeviceInfo& device,
                             bool portable = false);

// Fills in what follows from the shape and plan; the caller adds the pointers and row_stride.
AttentionParams attention_params(const AttentionPlan& plan, const StepShape& shape);

// Starts the kernel. With programmatic dependent launch where there is such a thing: it may begin
// while the kernel before it runs, and waits for it before it reads queries and new rows.
void launch_attention(const AttentionPlan& plan, const AttentionParams& params,
                      cudaStream_t stream);

}  // namespace bench::cuda
