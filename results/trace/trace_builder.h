#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "results/trace/trace.h"

namespace bench {

// Puts a Trace together from events in any order: joins activities to the calls that launched them
// (by correlation) and to operators (by external id).
class TraceBuilder {
 public:
  [[nodiscard]] Trace& trace() { return trace_; }
  void add(const TraceEvent& event);
  Trace take();

 private:
  struct Key {
    std::int64_t id;
    std::uint32_t index;
  };
  static std::uint32_t find(const std::vector<Key>& sorted, std::int64_t id);

  void add_activity(const TraceEvent& event);
  std::uint32_t shape_of(const TraceEvent& event);

  Trace trace_;
  std::map<LaunchShape, std::uint32_t> shapes_;
  std::vector<Key> ops_;                       // by external id
  std::vector<Key> launches_;                  // by correlation
  std::vector<std::int64_t> launch_external_;  // beside trace_.launches
  struct Pending {
    std::int64_t correlation;
    std::int64_t external;
  };
  std::vector<Pending> pending_;  // beside trace_.activities
};

}  // namespace bench
