#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/kv_rows.h"
#include "kernels/problem.h"

namespace bench::cuda {

// Absorbed MLA decode by mma.sync over tiles of 64 keys, widened to BF16 in shared memory: one
// plain kernel for every shape and architecture from sm_80 on. The work is cut into tasks of
// (request, 16 query rows, range of tokens), one a block; ranges of a request are merged by a
// second kernel. A query row is one (query token, head) of a request.
class SimpleAttention {
 public:
  SimpleAttention(Problem& problem, CudaDevice& device);

  // Why a shape cannot be done; empty: it can.
  static std::string unsupported(const StepShape& shape, const DeviceInfo& device);

  void run(const KvRows& kv, int layer) const;
  // Merges the ranges of each request; only where some request has several.
  [[nodiscard]] bool is_split() const { return parts_ > problem_.shape().requests; }
  void combine() const;

  struct Task {
    std::int32_t request, first_row, begin, end, part;
  };

 private:
  void plan(int multiprocessors);

  Problem& problem_;
  CudaDevice& device_;
  std::int64_t rows_per_request_;
  std::int64_t parts_ = 0;
  std::vector<Task> host_tasks_;
  std::vector<std::int32_t> host_first_parts_;
  Buffer tasks_;        // Task [tasks]
  Buffer first_parts_;  // int32 [requests + 1] first part of each request; a part is a range
  Buffer sums_;         // float [parts, rows_per_request, latent], normalised
  Buffer states_;       // float2 [parts, rows_per_request]: maximum (in log2 units) and sum
};

}  // namespace bench::cuda
