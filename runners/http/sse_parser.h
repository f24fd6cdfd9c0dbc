#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// One dispatched event. The views live until the handler returns.
struct SseEvent {
  std::string_view type;  // empty: the default, "message"
  std::string_view data;  // data lines joined with LF
  std::string_view id;    // the last one seen
};

// What the standard tells a reader to pass over in silence, and a benchmark must not.
struct SseAnomalies {
  std::int64_t unknown_lines = 0;     // field names that the standard does not know
  std::int64_t bad_values = 0;        // an id with NUL, a retry that is no number
  std::int64_t truncated_events = 0;  // the stream ended inside a line or an event
  std::int64_t oversized_events = 0;  // dropped: larger than the limit

  [[nodiscard]] std::int64_t total() const {
    return unknown_lines + bad_values + truncated_events + oversized_events;
  }
};

class SseHandler {
 public:
  virtual ~SseHandler() = default;
  virtual void on_event(const SseEvent& event) = 0;
  virtual void on_comment(std::string_view /*text*/) {}
  // A line that the standard ignores: old llama.cpp's "error: {...}", bare JSON, ...
  virtual void on_unknown_line(std::string_view /*line*/) {}
};

// Incremental parser of text/event-stream (WHATWG HTML, 9.2.5 and 9.2.6). Bytes may be cut
// anywhere; equal bytes give equal events however they are cut. Holds at most one event.
class SseParser {
 public:
  static constexpr std::size_t kMaxEventBytes = std::size_t{64} << 20;

  explicit SseParser(std::size_t max_event_bytes = kMaxEventBytes)
      : max_event_bytes_(max_event_bytes) {}

  void feed(std::string_view bytes, SseHandler& handler);
  // The end of the stream. An event without its blank line is discarded, as the standard says,
  // and counted as truncated.
  void finish(SseHandler& handler);

  [[nodiscard]] const SseAnomalies& anomalies() const { return anomalies_; }
  [[nodiscard]] std::size_t buffered_bytes() const { return line_.capacity() + data_.capacity(); }

 private:
  std::string_view drop_byte_order_mark(std::string_view bytes);
  void keep(std::string_view part);
  void end_line(std::string_view rest, SseHandler& handler);
  void take_line(std::string_view line, SseHandler& handler);
  void take_field(std::string_view name, std::string_view value, std::string_view line,
                  SseHandler& handler);
  void dispatch(SseHandler& handler);

  std::size_t max_event_bytes_;
  std::string line_;  // the part of a line that came with earlier bytes
  std::string data_, type_, id_;
  bool has_data_ = false;
  bool skip_line_feed_ = false;    // the last byte was CR: an LF now belongs to it
  bool discarding_line_ = false;   // over the limit: drop up to the end of the line,
  bool discarding_event_ = false;  // and the event with it
  std::size_t mark_bytes_ = 0;     // of the byte order mark seen so far
  bool started_ = false;
  SseAnomalies anomalies_;
};

}  // namespace bench
