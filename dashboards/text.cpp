#include "dashboards/text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace bench {
namespace {

struct Range {
  char32_t first, last;
};

constexpr std::array kZeroWidth{Range{0x300, 0x36F}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF},
                                Range{0xFE00, 0xFE0F}};
constexpr std::array kWide{Range{0x1100, 0x115F},   Range{0x2E80, 0xA4CF},  Range{0xAC00, 0xD7A3},
                           Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},  Range{0xFF00, 0xFF60},
                           Range{0x1F300, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

template <typename Ranges>
bool is_in(const Ranges& ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](Range r) { return c >= r.first && c <= r.last; });
}

struct Character {
  char32_t code;
  std::size_t bytes;
  bool valid;
};

Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 && lead < 0xF8 ? 4
                             : lead >= 0xE0              ? 3
                             : lead >= 0xC2              ? 2
                                                         : 0;
  if (length == 0 || lead >= 0xF8 || text.size() < length) return {'?', 1, false};
  char32_t code = lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {'?', 1, false};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  return {code, length, true};
}

int cells(char32_t c) {
  if (is_in(kZeroWidth, c)) return 0;
  return is_in(kWide, c) ? 2 : 1;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E);
}

// The longest prefix of at most `width` cells, in bytes.
std::size_t prefix(std::string_view text, int width) {
  std::size_t at = 0;
  int used = 0;
  while (at < text.size()) {
    const Character c = decode(text.substr(at));
    used += cells(c.code);
    if (used > width) break;
    at += c.bytes;
  }
  return at;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode(text.substr(at));
    width += cells(c.code);
    at += c.bytes;
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode(text.substr(at));
    if (!c.valid) {
      clean += '?';
    } else if (is_control(c.code)) {
      clean += ' ';
    } else {
      clean += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return clean;
}

std::string ellipsis(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= 3) return std::string(text.substr(0, prefix(text, width)));
  return std::string(text.substr(0, prefix(text, width - 3))) + "...";
}

std::vector<std::string> wrap(std::string_view text, int width, int indent) {
  std::vector<std::string> lines;
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string_view rest = text;
  while (true) {
    const int room = std::max(8, width - (lines.empty() ? 0 : indent));
    std::size_t take = prefix(rest, room);
    std::size_t next = take;
    if (take < rest.size()) {
      const std::size_t space = rest.substr(0, take + 1).rfind(' ');
      if (space != std::string_view::npos && space > 0) {
        take = space;
        next = space + 1;
      }
    }
    lines.push_back((lines.empty() ? "" : margin) + std::string(rest.substr(0, take)));
    if (next >= rest.size()) return lines;
    rest = rest.substr(next);
  }
}

std::string pad(std::string_view text, int width, Align align) {
  const std::string space(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return align == Align::left ? std::string(text) + space : space + std::string(text);
}

std::string styled(const std::string& text, Style style, bool colour) {
  if (!colour || style == Style::plain || text.empty()) return text;
  const char* code = style == Style::bold   ? "1"
                     : style == Style::dim  ? "2"
                     : style == Style::good ? "32"
                                            : "31";
  return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
}

std::string short_reason(const std::string& reason) {
  constexpr int kLongest = 400;
  return ellipsis(reason, kLongest);
}

std::string place_text(const std::string& workload, const std::string& point) {
  if (point.empty()) return workload;
  return point.starts_with(workload + " ") ? point : workload + " " + point;
}

}  // namespace bench
