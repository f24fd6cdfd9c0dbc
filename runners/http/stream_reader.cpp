#include "runners/http/stream_reader.h"

#include <algorithm>
#include <limits>

namespace bench {
namespace {

constexpr std::int64_t kMostSpareEvents = 65536;
constexpr std::int64_t kMostEventsPerToken = 8;

}  // namespace

void StreamReader::feed(Seconds now, std::string_view bytes) {
  now_ = now;
  if (dialect_.framing == Framing::sse) {
    sse_.feed(bytes, *this);
  } else {
    feed_lines(bytes);
  }
}

void StreamReader::feed_lines(std::string_view bytes) {
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    line_.append(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    if (line_.find_first_not_of(" \r\t") != std::string::npos) take_document(line_);
    std::string().swap(line_);
  }
  if (line_.size() + bytes.size() > SseParser::kMaxEventBytes) {
    return fail_with(Failure::protocol, "a line of the response is larger than 64 MiB");
  }
  line_.append(bytes);
}

void StreamReader::on_event(const SseEvent& event) {
  if (event.data == "[DONE]") return take_done();
  if (event.type == "error") {
    const JsonValue json = json_.parse(event.data);
    Message message;
    if (json) dialect_.read(json, message);
    fail_with(Failure::error_event, message.error.empty() ? event.data : message.error);
    return;
  }
  // Dynamo's annotations and other named events carry no tokens.
  if (!event.type.empty() && event.type != "message") return;
  take_document(event.data);
}

void StreamReader::on_unknown_line(std::string_view line) {
  // Two forms outside the standard that engines have used to report an error inside a 200 stream:
  // "error: {...}" (llama.cpp until 2025) and JSON without "data:".
  std::string_view text = line;
  if (text.starts_with("error:")) text.remove_prefix(6);
  if (const JsonValue json = json_.parse(text)) {
    Message message;
    dialect_.read(json, message);
    if (!message.error.empty() || line.starts_with("error:")) {
      fail_with(Failure::error_event, message.error.empty() ? text : message.error);
    }
  }
  unread_ = true;
  record_.note_anomaly(line);
}

bool StreamReader::parse_message(std::string_view text) {
  const JsonValue json = json_.parse(text);
  if (!json) return false;
  Message message;
  dialect_.read(json, message);
  take_message(message);
  return true;
}

void StreamReader::take_document(std::string_view text) {
  if (done_) record_.note_anomaly("data after the end mark");
  if (parse_message(text)) return;
  unread_ = true;
  if (text.find('\n') == std::string_view::npos) {
    record_.note_anomaly("a message that is not JSON");
    last_data_ = now_;
    return;
  }
  // Events parted by one LF instead of two arrive as one event of several documents.
  record_.note_anomaly("several messages in one event");
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == "[DONE]") {
      take_done();
    } else if (!parse_message(line)) {
      record_.note_anomaly("a message that is not JSON");
    }
  }
}

void StreamReader::take_done() {
  if (record_.ended_with_done) record_.note_anomaly("a second [DONE]");
  record_.ended_with_done = true;
  if (!done_) done_ = now_;
  record_.events.push_back({now_, 0, CountSource::none, EventKind::done});
  last_data_ = now_;
}

void StreamReader::take_message(const Message& message) {
  last_data_ = now_;
  // A stream without end must not fill the memory.
  if (std::ssize(record_.events) >= kMostSpareEvents + kMostEventsPerToken * record_.output_asked) {
    return fail_with(Failure::protocol, "far more messages than the tokens that were asked");
  }
  if (!message.error.empty()) {
    record_.events.push_back({now_, 0, CountSource::none, EventKind::error});
    return fail_with(Failure::error_event, message.error);
  }
  StreamEvent event{now_, 0, CountSource::none, message.kind};
  event.tokens = new_tokens(message, event.source);
  record_.events.push_back(event);
  if (tokens_ == 0 && event.tokens > 0 && message.server_decode_tokens != kUnknown) {
    decode_at_first_ = message.server_decode;
    decode_tokens_at_first_ = message.server_decode_tokens;
  }
  tokens_ += event.tokens;
  take_final_counts(message);
  if (!message.finish_reason.empty()) {
    record_.finish_reason = message.finish_reason;
    finish_ = record_.events.size() - 1;
  }
  if (message.last && !done_) done_ = now_;
}

std::int32_t StreamReader::new_tokens(const Message& message, CountSource& source) {
  if (!message.carries_tokens) return 0;
  const bool text = message.kind == EventKind::text || message.kind == EventKind::reasoning;
  // A first total beside the finish reason is the final count, not this message's share, unless
  // the whole answer came in it.
  const bool running = counted_ || message.finish_reason.empty() || (text && tokens_ == 0);
  std::int64_t tokens = 0;
  // Servers that count at the end alone may say 0 until then.
  const bool no_count = text && message.total == 0;
  if (message.total != kUnknown && running && !no_count) {
    counted_ = true;
    if (message.total < tokens_) record_.note_anomaly("the token count went back");
    tokens = std::max<std::int64_t>(message.total - tokens_, 0);
    source = message.source;
  } else if (message.delta != kUnknown) {
    tokens = message.delta;
    source = message.source;
  } else if (text) {
    if (counted_) record_.note_anomaly("a chunk without the count that others had");
    tokens = 1;
    source = CountSource::assumed;
  }
  if (tokens == 0) source = CountSource::none;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min(tokens, kMost));
}

void StreamReader::take_final_counts(const Message& message) {
  if (message.output_tokens != kUnknown) {
    record_.output_got = message.output_tokens;
    record_.output_source = message.output_source;
  }
  if (message.prompt_tokens != kUnknown) record_.prompt_got = message.prompt_tokens;
  if (message.cached_tokens != kUnknown) record_.cached = message.cached_tokens;
  if (message.server_decode_tokens != kUnknown) {
    record_.server_decode = message.server_decode - decode_at_first_;
    record_.server_decode_tokens = message.server_decode_tokens - decode_tokens_at_first_;
  }
}

void StreamReader::finish() {
  if (dialect_.framing == Framing::sse) {
    sse_.finish(*this);
  } else if (!line_.empty()) {
    // NDJSON's last line may lack its line feed.
    const std::string line = std::move(line_);
    take_document(line);
  }
  settle_counts();
  place_unseen_tokens();
  const SseAnomalies& anomalies = sse_.anomalies();
  if (anomalies.oversized_events > 0) fail_with(Failure::protocol, "an event larger than 64 MiB");
  for (std::int64_t i = 0; i < anomalies.bad_values; ++i) {
    record_.note_anomaly("an id or retry field that is not valid");
  }
  const bool complete = done_ || !record_.finish_reason.empty();
  if (record_.events.empty() && unread_) {
    fail_with(Failure::protocol, "the answer is not the stream that was asked for");
  }
  if (anomalies.truncated_events > 0) {
    record_.note_anomaly("the stream ended inside an event");
    if (!complete) fail_with(Failure::truncated, "the stream ended inside an event");
  }
  if (!complete && tokens_ > 0)
    fail_with(Failure::truncated, "the stream ended without an end mark");
  if (tokens_ == 0) {
    const std::string_view found = record_.events.empty() && record_.anomalies == 0
                                       ? "an empty response"
                                       : "a response without output tokens";
    fail_with(Failure::empty, found);
  }
  if (complete && dialect_.done_sentinel && !record_.ended_with_done) {
    record_.note_anomaly("no [DONE]");
  }
  if (record_.output_got != kUnknown && record_.output_got < record_.output_asked) {
    fail_with(Failure::short_count,
              "fewer tokens than asked, finish reason '" + record_.finish_reason + "'");
  }
}

void StreamReader::settle_counts() {
  if (record_.output_got == 0 && tokens_ > 0) {
    record_.note_anomaly("a count of 0 beside text");
    record_.output_got = kUnknown;
    record_.output_source = CountSource::none;
  }
  // Without a final count, what the messages told stands; guesses are never a count.
  if (record_.output_got != kUnknown || tokens_ == 0) return;
  const auto told =
      std::ranges::find_if(record_.events, [](const StreamEvent& e) { return e.tokens > 0; });
  const bool guessed = std::ranges::any_of(
      record_.events, [](const StreamEvent& e) { return e.source == CountSource::assumed; });
  if (guessed) return;
  record_.output_got = tokens_;
  record_.output_source = told->source;
}

// Text held back until it is valid UTF-8 may never come, and llama.cpp tells the total of a chat
// after its finish reason: the tokens that no chunk told were made by then.
void StreamReader::place_unseen_tokens() {
  if (!counted_ || !finish_ || tokens_ == 0 || record_.output_got <= tokens_) return;
  StreamEvent& event = record_.events[*finish_];
  const std::int64_t unseen = record_.output_got - tokens_;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  event.tokens = static_cast<std::int32_t>(std::min(event.tokens + unseen, kMost));
  event.source = record_.output_source;
  tokens_ = record_.output_got;
}

void StreamReader::fail_with(Failure failure, std::string_view words) {
  if (failed()) return;
  record_.failure = failure;
  record_.error = words.substr(0, kKeptErrorBytes);
}

}  // namespace bench
