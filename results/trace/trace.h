#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "results/trace/event.h"
#include "results/trace/names.h"

namespace bench {

inline constexpr std::uint32_t kNone = 0xffffffff;  // no such index

// Blocks and threads of a launch, or the bytes of a copy; each combination is kept once.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t bytes = 0;  // of a memcpy or memset; else 0

  auto operator<=>(const LaunchShape&) const = default;  // NOLINT(modernize-use-nullptr)
  [[nodiscard]] std::int64_t threads() const {
    return times(times(times(grid[0], grid[1]), grid[2]), threads_a_block());
  }
  [[nodiscard]] std::int64_t threads_a_block() const {
    return times(times(block[0], block[1]), block[2]);
  }
};

// Something that ran on a device.
struct Activity {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t name = 0;        // in Trace::names
  std::uint32_t shape = 0;       // in Trace::shapes
  std::uint32_t launch = kNone;  // in Trace::launches; kNone: launched before the recording began
  std::uint32_t op = kNone;      // in Trace::ops; kNone: not known
  std::int32_t stream = -1;
  std::int16_t device = -1;
  TraceEventKind kind = TraceEventKind::kernel;

  [[nodiscard]] std::int64_t end_ns() const { return start_ns + duration_ns; }
};

// A call of the CUDA or HIP runtime or driver that launched something.
struct LaunchCall {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = 0;
};

// An operator with the shapes and types of its inputs, as raw JSON in Trace::names.
struct Operator {
  std::uint32_t name = 0;
  std::uint32_t dims = 0;
  std::uint32_t types = 0;
};

// A named range on the host: ProfilerStep#4, a record_function, an NVTX range.
struct HostRange {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = 0;
  std::uint32_t thread = 0;  // in Trace::names
};

// What a profiler recorded in one process, whichever profiler it was.
struct Trace {
  std::string path;
  std::string device_name;  // "NVIDIA H200"; empty: not said
  std::int64_t rank = -1;   // of world_size; -1: not said
  std::int64_t world_size = 0;
  std::int64_t bytes = 0;  // of the file, unpacked
  std::int64_t events = 0;
  std::string damage;              // why reading stopped early; empty: it did not
  std::string note;                // what the recording hides, and how to record it; empty: nothing
  std::int64_t left_out = 0;       // events without a time
  std::int64_t other_devices = 0;  // of other processes in the file, which were not read

  Names names;
  std::vector<LaunchShape> shapes;
  std::vector<Activity> activities;  // by device, then by start
  std::vector<LaunchCall> launches;
  std::vector<Operator> ops;
  std::vector<HostRange> ranges;  // by start, the outer one first

  [[nodiscard]] const std::string& name_of(const Activity& a) const { return names[a.name]; }
};

}  // namespace bench
