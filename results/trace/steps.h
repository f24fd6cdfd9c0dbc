#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/trace/classes.h"

namespace bench {

enum class StepKind { decode, prefill };

// One step of the model on one device. Times in nanoseconds.
struct TraceStep {
  std::string name;  // ProfilerStep#4; empty: none
  StepKind kind = StepKind::decode;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;       // of its last activity
  std::int64_t duration_ns = 0;  // to the begin of the next step; of the last: to its own end
  std::int64_t busy_ns = 0;      // some stream was busy: overlap counted once
  std::int64_t sum_ns = 0;       // of all activities: overlap counted each time
  std::int64_t host_ns = 0;      // idle because the next launch came too late
  std::int64_t activities = 0;
  std::int64_t tokens = 0;  // rows of its GEMMs; 0: not known

  [[nodiscard]] std::int64_t idle_ns() const { return duration_ns - busy_ns; }
};

// Which step each activity of one device belongs to; kNone: none (a warm-up that ran late, a step
// cut short).
struct StepSplit {
  std::string method;  // for people: "ProfilerStep ranges"
  std::vector<std::string> names;
  std::vector<std::uint32_t> of;  // of each activity
};

// Each finds steps in its own way; nullopt: there are none of that kind. `activities` are those of
// one device, by start.
std::optional<StepSplit> split_by_ranges(const Trace& trace, std::span<const Activity> activities);
std::optional<StepSplit> split_by_graphs(const Trace& trace, std::span<const Activity> activities);
std::optional<StepSplit> split_by_period(const Classes& classes,
                                         std::span<const Activity> activities);

// The first of the three that finds steps; else all of the trace is one.
StepSplit split_steps(const Trace& trace, const Classes& classes,
                      std::span<const Activity> activities);

// Times and kind of each step of the split; steps without activities and a last one that the end of
// the recording cut short are left out, and the split is renumbered to match.
std::vector<TraceStep> measure_steps(const Trace& trace, const Classes& classes,
                                     std::span<const Activity> activities, StepSplit& split);

}  // namespace bench
