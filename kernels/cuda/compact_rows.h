#pragma once

#include <cstdint>

#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/kv_rows.h"
#include "kernels/cuda/move.h"
#include "kernels/problem.h"

namespace bench::cuda {

// A compact copy of the active rows: token after token, request after request.
class CompactRows {
 public:
  CompactRows(Problem& problem, CudaDevice& device);

  // The plan stage: lists the slot of every active token, and 0, 1, ..., n-1 for the copy.
  void plan() const;
  [[nodiscard]] RowList list(const std::byte* pool) const;  // after plan()
  [[nodiscard]] std::uint8_t* codes() const { return codes_.as<std::uint8_t>(); }
  [[nodiscard]] std::uint16_t* bf16() const { return bf16_.as<std::uint16_t>(); }
  [[nodiscard]] std::int64_t values() const { return tokens_ * row_dim_; }
  [[nodiscard]] KvRows rows() const;  // the BF16 copy, by the list 0, 1, ..., n-1

  // Bytes of all of it.
  static std::int64_t bytes(const StepShape& shape);

 private:
  const Problem& problem_;
  CudaDevice& device_;
  std::int64_t tokens_;
  std::int64_t row_dim_;
  Buffer offsets_;  // int32 [requests + 1] first token of each request
  Buffer slots_;    // int32 [active tokens]
  Buffer indices_;  // int32 [active tokens]
  Buffer codes_;    // e4m3 [active tokens, row_dim]
  Buffer bf16_;     // bf16 [active tokens, row_dim]
};

}  // namespace bench::cuda
