#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/units.h"

namespace bench {

// Who says how many tokens: usage, token ids, the engine's own counter, nobody (one chunk taken for
// one token), or the finish reason, which a server that counts whole answers proved to mean all
// that were asked.
enum class CountSource : std::uint8_t { none, usage, ids, engine, assumed, limit };
inline constexpr int kCountSources = 6;
std::string_view to_string(CountSource source);

// What a message of the stream was. Only the peers' formulas need all of them.
enum class EventKind : std::uint8_t { text, reasoning, role, empty, usage, done, error, other };

// One message, stamped with the monotonic clock when its bytes were read, before they were parsed.
// It is a token event when tokens > 0.
struct StreamEvent {
  Seconds time;  // since the start of the pass
  std::int32_t tokens = 0;
  CountSource source = CountSource::none;
  EventKind kind = EventKind::other;
};

enum class Failure : std::uint8_t {
  none,
  refused,      // no connection
  http_status,  // answered, but not with 200
  error_event,  // an error in the middle of a 200 stream
  truncated,    // ended without finish reason or end mark
  stalled,      // no data for too long
  timeout,      // longer than the limit
  short_count,  // fewer tokens than asked
  empty,        // ended in order, without a token
  protocol,     // what came is not what was asked: compressed, not a stream, too large, ...
  reset,        // the connection broke
};
std::string_view to_string(Failure failure);
inline constexpr int kFailures = 11;

enum class Phase : std::uint8_t { warm_up, measured };

inline constexpr std::int64_t kUnknown = -1;
inline constexpr std::size_t kKeptErrorBytes = 4096;

// All that is known of one request. Counts the server did not give are kUnknown; times that did
// not happen are negative.
struct RequestRecord {
  std::int64_t index = 0;  // in its phase
  std::int64_t user = 0;   // the stream of the closed loop that sent it
  Phase phase = Phase::measured;
  bool open_loop = false;
  Seconds due{-1};   // when the schedule wanted it sent (open loop), or when it was begun
  Seconds sent{-1};  // given to a connection
  Seconds first_byte{-1};
  Seconds end{-1};  // of the whole response
  std::vector<StreamEvent> events;
  std::int64_t prompt_asked = 0;
  std::int64_t prompt_got = kUnknown;
  std::int64_t cached = kUnknown;  // prompt tokens the server found in its cache
  std::int64_t output_asked = 0;
  std::int64_t output_got = kUnknown;
  CountSource output_source = CountSource::none;
  // By the server's own clock: from the first to the last token, or from those of the first event
  // where it tells its time as it goes, as our TPOT does.
  Seconds server_decode{-1};
  std::int64_t server_decode_tokens = kUnknown;  // tokens in that time
  std::string finish_reason;
  Failure failure = Failure::none;
  int http_status = 0;
  std::string error;    // words of the failure and the first bytes of the body, redacted
  bool reused = false;  // the connection
  int attempts = 0;     // above 1: the transport sent it again by itself
  Seconds connect{0};
  Seconds tls{0};
  std::int64_t anomalies = 0;
  std::string anomaly;  // the first, in words
  bool ended_with_done = false;

  // What TTFT and E2E count from (design 5).
  [[nodiscard]] Seconds start() const { return open_loop ? due : sent; }
  void note_anomaly(std::string_view words);
};

}  // namespace bench
