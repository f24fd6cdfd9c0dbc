#include "results/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {

// RFC 3629, table 3-7 of Unicode: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool ends = tail(1) && tail(2);
    const bool overlong = lead == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = lead == 0xed && byte(1) > 0x9f;
    return ends && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool ends = tail(1) && tail(2) && tail(3);
    const bool overlong = lead == 0xf0 && byte(1) < 0x90;
    const bool beyond = lead == 0xf4 && byte(1) > 0x8f;
    return ends && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

namespace {

void append_escaped(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void append_number(std::string& out, double number, std::string_view key) {
  if (!std::isfinite(number)) fail(format("{} is {}: JSON has no such number", key, number));
  std::array<char, 32> digits;  // NOLINT: filled by to_chars
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

}  // namespace

void JsonWriter::separate() {
  if (std::exchange(comma_, false)) out_ += ',';
  if (std::exchange(new_line_, false)) out_ += '\n';
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  comma_ = false;
  separate();
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_object() { return open('{'); }
JsonWriter& JsonWriter::end_object() { return close('}'); }
JsonWriter& JsonWriter::begin_array() { return open('['); }
JsonWriter& JsonWriter::end_array() { return close(']'); }

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_escaped(out_, name);
  out_ += ':';
  key_ = name;
  return *this;
}

JsonWriter& JsonWriter::new_line() {
  new_line_ = true;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  out_ += text;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_escaped(out_, text);
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  append_number(out_, number, key_);
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::span<const double> numbers) {
  begin_array();
  for (const double number : numbers) value(number);
  return end_array();
}

JsonWriter& JsonWriter::value(std::span<const std::int32_t> numbers) {
  // A prompt is up to a million token ids: no string a number.
  constexpr std::size_t kMaxBytes = 12;  // sign, ten digits, comma
  begin_array();
  const std::size_t begin = out_.size();
  out_.resize(begin + numbers.size() * kMaxBytes);
  char* at = out_.data() + begin;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) *at++ = ',';
    at = std::to_chars(at, at + kMaxBytes, numbers[i]).ptr;
  }
  out_.resize(static_cast<std::size_t>(at - out_.data()));
  return end_array();
}

std::string JsonWriter::take() { return std::exchange(out_, {}); }

}  // namespace bench
