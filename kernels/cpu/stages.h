#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/attention.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/problem.h"

// The stages that the CPU variants share.
namespace bench {

// The reason for a no of all CPU variants; empty: yes.
std::string cpu_unsupported(const StepShape& shape, const DeviceInfo& device);

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// [layers] pools of a format, their active rows written.
std::vector<std::byte*> all_pools(Problem& problem, PoolFormat format);

// Slots of the active tokens, request after request.
std::vector<std::int64_t> active_slots(const Problem& problem);

StageCall append_stage(Problem& problem, CpuDevice& device, PoolFormat format);

// The rows of a pool as the step's slots name them.
KvRows pool_rows(const Problem& problem, PoolFormat format, const std::byte* data);

// Adds attention, and combine where the attention is split.
void add_attention(Pipeline& pipeline, Problem& problem, CpuDevice& device,
                   std::function<KvRows(int layer)> rows);

// A compact copy of the active rows: token after token, request after request.
class CompactRows {
 public:
  CompactRows(Problem& problem, CpuDevice& device);

  // The plan stage: lists the slot of every active token, and 0, 1, ..., n-1 for the copy.
  void plan();
  [[nodiscard]] std::span<const std::int32_t> slots() const;  // after plan()
  [[nodiscard]] std::uint8_t* codes() const { return codes_.as<std::uint8_t>(); }
  [[nodiscard]] std::uint16_t* bf16() const { return bf16_.as<std::uint16_t>(); }
  [[nodiscard]] KvRows rows() const;  // the BF16 copy, by the list 0, 1, ..., n-1

  // Bytes of all of it.
  static std::int64_t bytes(const StepShape& shape);

 private:
  Threads& threads_;
  SlotMap map_;
  std::vector<std::int32_t> offsets_;  // [requests + 1] first token of each request
  Buffer slots_;                       // int32 [active tokens]
  Buffer indices_;                     // int32 [active tokens]
  Buffer codes_;                       // e4m3 [active tokens, row_dim]
  Buffer bf16_;                        // bf16 [active tokens, row_dim]
};

}  // namespace bench
