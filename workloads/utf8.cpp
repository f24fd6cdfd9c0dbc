#include "workloads/utf8.h"

#include <algorithm>
#include <cstdint>

#include "harness/format.h"

namespace bench {
namespace {

// Length of the well-formed sequence at the front; 0: none. Shortest forms only, no surrogates, up
// to U+10FFFF (RFC 3629).
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if (!continues_character(text[at])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[at]) & 0x3fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || code == 0x7f;
}

}  // namespace

Where where_of(std::string_view text, const std::string& source, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::string_view line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto lines = std::ranges::count(before, '\n');
  const auto columns =
      std::ranges::count_if(line, [](char byte) { return !continues_character(byte); });
  return {source, static_cast<int>(lines) + 1, static_cast<int>(columns) + 1};
}

void check_text(std::string_view text, const std::string& source) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = is_control(text[at]) ? 0 : sequence_length(text.substr(at));
    if (length == 0) {
      complain(where_of(text, source, at),
               format("byte 0x{:02x} is not UTF-8 text", static_cast<unsigned char>(text[at])));
    }
    at += length;
  }
}

}  // namespace bench
