#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runners/http/dialect.h"
#include "runners/http/sse_parser.h"

namespace bench {

// Turns the bytes of one response into the events of its record. Pure: it knows no clock and no
// network. One JsonParser serves all readers of a thread.
class StreamReader : private SseHandler {
 public:
  StreamReader(const Dialect& dialect, JsonParser& json, RequestRecord& record)
      : dialect_(dialect), json_(json), record_(record) {}

  // `now`: when the bytes were read.
  void feed(Seconds now, std::string_view bytes);
  // The body ended in order. Decides failure (unless one is set) and the final counts.
  void finish();

  // When the last message of data came; comments and pings do not count.
  [[nodiscard]] Seconds last_data() const { return last_data_; }
  // When the end mark came: [DONE], or the engine's own last message.
  [[nodiscard]] std::optional<Seconds> done() const { return done_; }
  [[nodiscard]] bool failed() const { return record_.failure != Failure::none; }

 private:
  void on_event(const SseEvent& event) override;
  void on_unknown_line(std::string_view line) override;
  void feed_lines(std::string_view bytes);
  bool parse_message(std::string_view text);  // false: not JSON
  void take_document(std::string_view text);
  void take_done();
  void take_message(const Message& message);
  std::int32_t new_tokens(const Message& message, CountSource& source);
  void take_final_counts(const Message& message);
  void fail_with(Failure failure, std::string_view words);
  void settle_counts();
  void place_unseen_tokens();

  const Dialect& dialect_;
  JsonParser& json_;
  RequestRecord& record_;
  SseParser sse_;
  std::string line_;  // of NDJSON: the part that came with earlier bytes
  Seconds now_{0};
  Seconds last_data_{-1};
  std::int64_t tokens_ = 0;            // so far
  bool counted_ = false;               // some message told a total
  std::optional<std::size_t> finish_;  // the event with the finish reason
  // By the server's clock, when the first token event told it: what lies before is in no TPOT.
  Seconds decode_at_first_{0};
  std::int64_t decode_tokens_at_first_ = 0;
  bool unread_ = false;  // something was no message of the dialect
  std::optional<Seconds> done_;
};

}  // namespace bench
