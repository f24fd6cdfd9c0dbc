#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "results/trace/byte_source.h"
#include "results/trace/event.h"

namespace bench {

// What is done with a Chrome trace while it is read.
class TraceHandler {
 public:
  TraceHandler() = default;
  TraceHandler(const TraceHandler&) = delete;
  TraceHandler& operator=(const TraceHandler&) = delete;
  virtual ~TraceHandler() = default;
  // A complete event of a kind other than `other`.
  virtual void on_event(const TraceEvent& event) = 0;
  // A member of the file beside traceEvents, as raw JSON: deviceProperties, distributedInfo, ...
  // Members above 1 MiB are passed over.
  virtual void on_member(std::string_view name, std::string_view value) = 0;
};

struct EventsRead {
  std::int64_t bytes = 0;   // unpacked
  std::int64_t events = 0;  // all kinds
  std::string damage;       // where and why reading stopped early; empty: it did not
};

// Reads a Chrome trace (an object with traceEvents, or a bare array of events) in a window of a
// few MiB, whatever the size of the file. Damage after the first event ends the reading and is
// told; a file that is no trace throws Error (exit 2), with `path` in the message.
EventsRead read_events(ByteSource& source, const std::string& path, TraceHandler& handler);

}  // namespace bench
