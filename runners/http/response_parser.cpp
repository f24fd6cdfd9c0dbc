#include "runners/http/response_parser.h"

#include <algorithm>
#include <charconv>

namespace bench {
namespace {

constexpr std::size_t kMostHeadBytes = std::size_t{256} << 10;
constexpr std::int64_t kMostChunk = std::int64_t{1} << 60;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool equal_words(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed_field(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1);
}

struct Header {
  std::string_view name, value;
};

Header header_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  return {line.substr(0, colon), trimmed_field(line.substr(colon + 1))};
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (equal_words(trimmed_field(list.substr(0, comma)), word)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// "gzip" of "gzip, chunked".
std::string without_chunked(std::string_view encodings) {
  const std::size_t comma = encodings.rfind(',');
  const bool alone = comma == std::string_view::npos;
  if (equal_words(trimmed_field(alone ? encodings : encodings.substr(comma + 1)), "chunked")) {
    return std::string(alone ? "" : trimmed_field(encodings.substr(0, comma)));
  }
  return std::string(encodings);
}

}  // namespace

void read_head_line(std::string_view line, ResponseHead& head) {
  if (line.starts_with("HTTP/")) {
    head = {};
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), head.status);
    return;
  }
  const auto [name, value] = header_of(line);
  if (equal_words(name, "content-type")) head.content_type = value;
  if (equal_words(name, "content-encoding")) head.content_encoding = value;
  if (equal_words(name, "retry-after")) head.retry_after = value;
}

ResponseParser::State ResponseParser::feed(std::string_view bytes, ResponseHandler& handler) {
  begun_ = begun_ || !bytes.empty();
  while (!bytes.empty() && part_ < Part::done) {
    if (part_ == Part::chunk || part_ == Part::length || part_ == Part::to_close) {
      take_body(bytes, handler);
    } else {
      take_line(bytes, handler);
    }
  }
  excess_ = excess_ || !bytes.empty();
  return state();
}

ResponseParser::State ResponseParser::close() {
  keep_ = false;
  if (part_ == Part::to_close) part_ = Part::done;
  if (part_ < Part::done) break_off("the connection was closed inside the response");
  return state();
}

ResponseParser::State ResponseParser::state() const {
  if (part_ == Part::broken) return State::broken;
  return part_ == Part::done ? State::done : State::reading;
}

void ResponseParser::take_line(std::string_view& bytes, ResponseHandler& handler) {
  const std::size_t end = bytes.find('\n');
  const bool whole = end != std::string_view::npos;
  const std::string_view part = bytes.substr(0, end);
  bytes.remove_prefix(whole ? end + 1 : bytes.size());
  if (line_.size() + part.size() > kMostHeadBytes) return break_off("a head without an end");
  if (!whole || !line_.empty()) line_.append(part);
  if (!whole) return;
  std::string_view line = line_.empty() ? part : std::string_view(line_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  end_line(line, handler);
  line_.clear();
}

void ResponseParser::end_line(std::string_view line, ResponseHandler& handler) {
  switch (part_) {
    case Part::status:
      return take_status(line);
    case Part::headers:
      head_bytes_ += line.size();
      if (head_bytes_ > kMostHeadBytes) return break_off("a head without an end");
      return line.empty() ? begin_body(handler) : take_header(line);
    case Part::chunk_size:
      return begin_chunk(line);
    case Part::chunk_end:
      if (!line.empty()) return break_off("a chunk longer than it says");
      part_ = Part::chunk_size;
      return;
    default:
      if (line.empty()) part_ = Part::done;  // of the trailers
  }
}

void ResponseParser::take_status(std::string_view line) {
  if (!line.starts_with("HTTP/1.")) return break_off("the answer is not HTTP/1.1");
  read_head_line(line, head_);
  if (head_.status < 100 || head_.status > 999) return break_off("a status that is no number");
  keep_ = !line.starts_with("HTTP/1.0");
  chunked_ = false;
  left_ = -1;
  part_ = Part::headers;
}

void ResponseParser::take_header(std::string_view line) {
  read_head_line(line, head_);
  const auto [name, value] = header_of(line);
  if (equal_words(name, "content-length")) {
    std::int64_t length = -1;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    const bool number = error == std::errc() && end == value.data() + value.size() && length >= 0;
    if (!number || (left_ >= 0 && left_ != length)) break_off("a length that is no number");
    left_ = length;
  } else if (equal_words(name, "transfer-encoding")) {
    const std::string others = without_chunked(value);
    chunked_ = others != value;
    if (!others.empty()) head_.content_encoding = others;
  } else if (equal_words(name, "connection")) {
    if (has_word(value, "close")) keep_ = false;
    if (has_word(value, "keep-alive")) keep_ = true;
  }
}

void ResponseParser::begin_body(ResponseHandler& handler) {
  if (head_.status == 101) return break_off("another protocol, which was not asked for");
  if (head_.status < 200) {
    part_ = Part::status;
    return;
  }
  const bool bodiless = head_.status == 204 || head_.status == 304;
  if (bodiless || (!chunked_ && left_ == 0)) {
    part_ = Part::done;
  } else {
    part_ = chunked_ ? Part::chunk_size : left_ > 0 ? Part::length : Part::to_close;
  }
  handler.on_head(head_);
}

void ResponseParser::begin_chunk(std::string_view line) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), left_, 16);
  const bool alone = end == line.data() + line.size() || *end == ';' || *end == ' ' || *end == '\t';
  if (error != std::errc() || !alone || left_ < 0 || left_ > kMostChunk) {
    return break_off("a chunk without a size");
  }
  part_ = left_ == 0 ? Part::trailers : Part::chunk;
}

void ResponseParser::take_body(std::string_view& bytes, ResponseHandler& handler) {
  std::size_t size = bytes.size();
  if (part_ != Part::to_close) size = std::min(size, static_cast<std::size_t>(left_));
  const std::string_view part = bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (part_ != Part::to_close) {
    left_ -= static_cast<std::int64_t>(size);
    if (left_ == 0) part_ = part_ == Part::chunk ? Part::chunk_end : Part::done;
  }
  if (!handler.on_body(part)) break_off("its reader wanted no more");
}

void ResponseParser::break_off(std::string_view words) {
  part_ = Part::broken;
  keep_ = false;
  error_ = words;
}

}  // namespace bench
