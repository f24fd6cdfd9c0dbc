#include "runners/http/sse_parser.h"

#include <algorithm>
#include <cstring>

namespace bench {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kKeptCapacity = std::size_t{16} << 10;  // of a buffer, between events

// Walks the line ends (CR or LF) of a block, in time linear in the block whatever the mix.
class LineEnds {
 public:
  explicit LineEnds(std::string_view bytes) : end_(bytes.data() + bytes.size()) {}

  // The first line end at or after `from`; the end of the block when there is none.
  const char* next(const char* from) {
    if (line_feed_ == nullptr || line_feed_ < from) line_feed_ = find('\n', from, end_);
    return find('\r', from, line_feed_);
  }

 private:
  static const char* find(char c, const char* from, const char* to) {
    const void* found = std::memchr(from, c, static_cast<std::size_t>(to - from));
    return found == nullptr ? to : static_cast<const char*>(found);
  }

  const char* end_;
  const char* line_feed_ = nullptr;
};

// One giant event must not hold its memory for the rest of the stream.
void clear(std::string& buffer) {
  if (buffer.capacity() > kKeptCapacity) {
    std::string().swap(buffer);
  } else {
    buffer.clear();
  }
}

}  // namespace

void SseParser::feed(std::string_view bytes, SseHandler& handler) {
  if (!started_) bytes = drop_byte_order_mark(bytes);
  LineEnds ends(bytes);
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    if (skip_line_feed_) {
      skip_line_feed_ = false;
      if (*at == '\n') {
        ++at;
        continue;
      }
    }
    const char* const line_end = ends.next(at);
    const std::string_view part(at, static_cast<std::size_t>(line_end - at));
    if (line_end == end) {
      keep(part);
      return;
    }
    skip_line_feed_ = *line_end == '\r';
    at = line_end + 1;
    end_line(part, handler);
  }
}

void SseParser::finish(SseHandler& handler) {
  if (!started_ && mark_bytes_ > 0) line_.assign(kByteOrderMark.substr(0, mark_bytes_));
  if (!line_.empty() || has_data_ || discarding_line_ || discarding_event_) {
    ++anomalies_.truncated_events;
    // A last line without its end may be the engine's only word on what went wrong.
    if (!line_.empty() && !line_.starts_with("data")) handler.on_unknown_line(line_);
  }
  clear(line_);
  clear(data_);
  has_data_ = discarding_line_ = discarding_event_ = false;
}

std::string_view SseParser::drop_byte_order_mark(std::string_view bytes) {
  while (!bytes.empty() && mark_bytes_ < kByteOrderMark.size()) {
    if (bytes.front() != kByteOrderMark[mark_bytes_]) break;
    bytes.remove_prefix(1);
    ++mark_bytes_;
  }
  if (mark_bytes_ == kByteOrderMark.size()) {
    started_ = true;
  } else if (!bytes.empty()) {
    started_ = true;  // it only looked like one: those bytes begin the first line
    line_.assign(kByteOrderMark.substr(0, mark_bytes_));
  }
  return bytes;
}

void SseParser::keep(std::string_view part) {
  if (discarding_line_) return;
  if (line_.size() + part.size() + data_.size() > max_event_bytes_) {
    discarding_line_ = discarding_event_ = true;
    clear(line_);
    return;
  }
  line_.append(part);
}

void SseParser::end_line(std::string_view rest, SseHandler& handler) {
  if (line_.empty() && !discarding_line_) return take_line(rest, handler);
  keep(rest);
  if (discarding_line_) {
    discarding_line_ = false;
    return;
  }
  take_line(line_, handler);
  clear(line_);
}

void SseParser::take_line(std::string_view line, SseHandler& handler) {
  if (line.empty()) return dispatch(handler);
  const std::size_t colon = line.find(':');
  if (colon == 0) return handler.on_comment(line.substr(1));
  if (colon == std::string_view::npos) return take_field(line, {}, line, handler);
  std::string_view value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  take_field(line.substr(0, colon), value, line, handler);
}

void SseParser::take_field(std::string_view name, std::string_view value, std::string_view line,
                           SseHandler& handler) {
  if (name == "data") {
    if (data_.size() + value.size() + 1 > max_event_bytes_) {
      discarding_event_ = true;
    } else if (!discarding_event_) {
      if (has_data_) data_.push_back('\n');
      data_.append(value);
      has_data_ = true;
    }
  } else if (name == "event") {
    type_.assign(value);
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) {
      id_.assign(value);
    } else {
      ++anomalies_.bad_values;
    }
  } else if (name == "retry") {
    const bool number = std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    if (value.empty() || !number) ++anomalies_.bad_values;
  } else {
    ++anomalies_.unknown_lines;
    handler.on_unknown_line(line);
  }
}

void SseParser::dispatch(SseHandler& handler) {
  if (discarding_event_) {
    ++anomalies_.oversized_events;
  } else if (has_data_) {
    handler.on_event({type_, data_, id_});
  }
  clear(data_);
  type_.clear();
  has_data_ = discarding_event_ = false;
}

}  // namespace bench
