#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cpu/cpu_device.h"
#include "kernels/problem.h"

namespace bench {

// Where the attention finds a layer's rows: in a pool, or in a compact copy of it.
struct KvRows {
  PoolFormat format;
  const std::byte* data;             // [slots]
  std::int64_t row_bytes;            // from one slot to the next
  const std::int32_t* page_offsets;  // [requests + 1] into pages
  const std::int32_t* pages;
  std::int64_t page_size;
};

// Absorbed MLA decode with an online softmax in FP32, one core for every row format: rows are
// widened to FP32 tile by tile, and only there do formats differ. The work is cut into tasks of
// (request, block of query rows, range of tokens), enough of them to keep all threads busy when
// there is but one request. A query row is one (query token, head) of a request.
class Attention {
 public:
  Attention(Problem& problem, CpuDevice& device);

  // Why a shape cannot be done; empty: it can.
  static std::string unsupported(const StepShape& shape);

  void run(const KvRows& kv, int layer);
  // Merges the ranges of each request; only where some request has several.
  [[nodiscard]] bool is_split() const { return parts_.back() > shape_.requests; }
  void combine();

 private:
  struct Task {
    std::int64_t request, first_row, rows, begin, end, part;
  };
  void plan(std::int64_t row_block);
  void run_task(const KvRows& kv, const Task& task, int layer);
  void merge(std::int64_t request, std::int64_t first_row, std::int64_t end_row);
  [[nodiscard]] std::int64_t scratch_stride() const;  // floats

  Problem& problem_;
  Threads& threads_;
  StepShape shape_;
  std::int64_t rows_per_request_;
  std::vector<Task> tasks_;
  std::vector<std::int64_t> parts_;   // [requests + 1] first part of each request; one a range
  std::vector<std::int64_t> behind_;  // [rows_per_request] newest tokens that a row must not see
  Buffer sums_;                       // float [parts, rows_per_request, latent], not normalised
  Buffer states_;                     // SoftmaxState [parts, rows_per_request]
  Buffer scratch_;                    // float [threads, scratch_stride()]
};

}  // namespace bench
