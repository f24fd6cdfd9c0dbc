#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "results/trace/waste.h"

namespace bench {

// One row of the table of kernels: a class in the steps looked at.
struct KernelRow {
  std::uint32_t kernel_class = 0;
  std::string name;
  std::string op;  // aten::copy_; empty: none was recorded
  Category category = Category::other;
  LaunchShape shape;
  Work work;
  double count = 0;    // a step, mean
  double seconds = 0;  // a step, mean
  double share = 0;    // of all kernels' time
  [[nodiscard]] double bytes_per_s() const {
    return seconds > 0 ? static_cast<double>(work.bytes()) * count / seconds : 0;
  }
};

// Something that ran in the step shown as a timeline.
struct TimelineBar {
  double begin_s = 0;  // from the begin of the step
  double seconds = 0;
  std::int32_t stream = -1;
  Category category = Category::other;
  std::uint32_t kernel_class = 0;  // as in KernelRow
};

struct CategoryTotal {
  double seconds = 0;  // a step, mean
  double bytes = 0;    // a step, mean, of the kernels whose bytes are known
  double total_s = 0;  // in the whole trace, in steps or not
};

// What a trace says of its decode steps (of its prefill steps, where there are no others), on the
// device with the most time.
struct TraceAnalysis {
  std::string path, device_name, damage, note;  // as in Trace
  std::int64_t rank = -1, world_size = 0, bytes = 0, events = 0, left_out = 0;
  std::int64_t device = 0;         // its ordinal
  std::int64_t other_devices = 0;  // in the same file, not looked at
  std::int64_t kernels = 0;        // of the device
  std::int64_t outside = 0;        // of them, in no step
  std::string method;              // how steps were found
  std::vector<TraceStep> steps;    // of all kinds
  StepKind kind = StepKind::decode;
  std::int64_t prefill_steps = 0;
  double step_s = 0, busy_s = 0, idle_s = 0, host_s = 0, overlap_s = 0;  // medians over the steps
  std::array<CategoryTotal, kCategories> categories{};
  std::vector<KernelRow> rows;        // longest first
  std::vector<TimelineBar> timeline;  // of the step of median length; the longest 3000, by begin
  Layers layers;
  std::vector<Waste> waste;
  std::int64_t active_pool_tokens = 0;  // of a pool that is copied as well, but mostly active; or 0
  double peak_bytes_per_s = 0;          // of the card; 0: not known

  [[nodiscard]] std::int64_t step_count() const;  // of the kind looked at
  [[nodiscard]] const CategoryTotal& of(Category category) const {
    return categories.at(static_cast<std::size_t>(category));
  }
};

// Throws Error (exit 2) for a trace in which nothing ran on a device.
TraceAnalysis analyse(const Trace& trace, const WasteOptions& options);

}  // namespace bench
