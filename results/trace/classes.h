#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "results/trace/work.h"

namespace bench {

// Launches alike in kernel, grid and operator shapes: what is worked out once for all of them.
struct KernelClass {
  std::uint32_t name = 0;    // in Trace::names
  std::uint32_t shape = 0;   // in Trace::shapes
  std::uint32_t op = kNone;  // in Trace::ops, one like the others; kNone: none was recorded
  TraceEventKind kind = TraceEventKind::kernel;
  Category category = Category::other;
  Work work;
  std::int64_t tokens = 0;  // gemm_rows of its operator
};

struct Classes {
  std::vector<KernelClass> all;
  std::vector<std::uint32_t> of;  // class of each activity

  [[nodiscard]] const KernelClass& at(std::size_t activity) const { return all[of[activity]]; }
};

// A launch without a recorded operator joins the class of its kernel and grid where there is just
// one with an operator.
Classes classify(const Trace& trace, std::span<const Activity> activities);

}  // namespace bench
