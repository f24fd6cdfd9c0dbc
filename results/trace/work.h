#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "results/trace/category.h"
#include "results/trace/trace.h"

namespace bench {

// What one launch reads and writes, as far as it can be told.
struct Work {
  std::int64_t elements = 0;  // values written; 0: not known
  std::int64_t slack = 0;     // inferred: elements may be up to this many fewer (the last block)
  std::int64_t rows = 0;      // leading dimension; of a gather: rows fetched. 0: not known
  std::int64_t width = 0;     // values of a row; 0: not known
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::string from, to;   // types, in torch's names; empty: not known
  bool inferred = false;  // from the launch's grid, not from recorded shapes

  [[nodiscard]] std::int64_t bytes() const { return read_bytes + written_bytes; }
};

// An operator with recorded shapes; raw JSON as in Operator. Empty: none.
struct OperatorText {
  std::string_view name, dims, types;
};

struct LaunchText {
  std::string_view kernel;
  LaunchShape shape{};
  OperatorText op{};
  TraceEventKind kind = TraceEventKind::kernel;
  bool newer_torch = true;  // see elements_a_thread
};
Work work_of(const LaunchText& launch);

// Values that one thread of a known elementwise kernel handles: template arguments say so; newer
// torch (vectors of 8 occur) handles 8 where older handled 4. 0: no such kernel.
std::int64_t elements_a_thread(std::string_view kernel, bool newer_torch);

// Rows of the activations in a GEMM: tokens of the step. 0: no GEMM, or not known.
std::int64_t gemm_rows(const OperatorText& op);

}  // namespace bench
