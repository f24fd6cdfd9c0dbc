#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/trace/layers.h"

namespace bench {

// A way to do without a copy, by the name of its variant.
struct WayOut {
  std::string variant;
  double instead_s = 0;   // of a step: what takes the copy's place
  double saved_s = 0;     // of a step
  double pool_bytes = 0;  // of all layers, where the pool would be of the larger type; else 0
  std::string basis;      // of instead_s: "run 3 at 4096 tokens"; empty: nothing takes its place
};

// The same large tensor converted or copied in every layer of every step, though its leading
// dimension does not depend on the batch: a preallocated pool.
struct Waste {
  std::uint32_t kernel_class = 0;
  std::int64_t pool_tokens = 0;  // leading dimension; 0: the width could not be told
  std::int64_t width = 0;        // values of a row
  std::int64_t elements = 0;     // of one copy
  std::int64_t layers = 0;       // copies a step
  std::string from, to;          // short names; from "?": not told by the trace
  bool inferred = false;         // counts come from the grid, not from recorded shapes
  std::int64_t read_bytes = 0;   // of one copy
  std::int64_t written_bytes = 0;
  double seconds = 0;              // a step, median
  double share = 0;                // of the step's time
  std::int64_t active_tokens = 0;  // rows fetched of each copy; 0: not known
  bool active_given = false;       // by the user
  bool mostly_active = false;      // at least half of the pool is: no waste
  std::vector<WayOut> ways;        // by ways_out(), where it was asked

  [[nodiscard]] double bytes_a_step() const {
    return static_cast<double>(read_bytes + written_bytes) * static_cast<double>(layers);
  }
  // Bytes moved over those of the active rows as stored; 0: not known.
  [[nodiscard]] double amplification() const;
  [[nodiscard]] double active_share() const;  // of the pool's tokens, at most; 0: not known
};

struct WasteOptions {
  std::int64_t active_tokens = 0;  // by the user; 0: from the trace where it shows
  std::int64_t width = 0;          // of a row, where shapes were not recorded; 0: a known one
};

// Largest time first, pools that are mostly active among them.
std::vector<Waste> find_waste(const StepView& view, const WasteOptions& options);

}  // namespace bench
