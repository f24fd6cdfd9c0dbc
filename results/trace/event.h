#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace bench {

// What a profiler's event is of, by its `cat` (and `ph` X). Everything else is `other`.
enum class TraceEventKind {
  other,
  kernel,
  memcpy,
  memset,
  op,
  runtime,
  annotation,
  gpu_annotation
};

// One complete event of a Chrome trace, with what this program uses of it. Texts are as in the
// file, escapes kept, and live until the next event is read. Times are whole nanoseconds, as
// profilers give them: sums are exact.
struct TraceEvent {
  TraceEventKind kind = TraceEventKind::other;
  bool has_time = false;  // both ts and dur were numbers
  std::string_view name;
  std::string_view process, thread;  // pid, tid
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  // Of args:
  std::int64_t external_id = 0;  // of the operator; 0: none
  std::int64_t correlation = 0;  // of the launching call; 0: none
  std::int64_t device = -1;
  std::int64_t stream = -1;
  std::int64_t bytes = 0;  // of a memcpy or memset
  std::array<std::int64_t, 3> grid{}, block{};
  std::string_view dims, types;  // "Input Dims", "Input type": raw JSON
};

// Counts of a file are whatever somebody wrote there: products are kept between 0 and 2^50, so that
// bytes and their sums cannot overflow.
std::int64_t times(std::int64_t a, std::int64_t b);

// Raw JSON values of one member each; false: not a number of that kind (the target is untouched).
bool read_time_ns(std::string_view microseconds, std::int64_t& ns);
bool read_whole(std::string_view text, std::int64_t& value);  // 12, "12", 12.0

// Takes one member of an event, or of its args. Unknown names are passed over.
void set_member(TraceEvent& event, std::string_view name, std::string_view value);
void set_argument(TraceEvent& event, std::string_view name, std::string_view value);

}  // namespace bench
