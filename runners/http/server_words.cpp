#include "runners/http/server_words.h"

#include <algorithm>

#include "results/json_writer.h"

namespace bench {
namespace {

// C0, DEL, and C1 as UTF-8 writes it.
bool is_control(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead < 0x20 || lead == 0x7f;
  return lead == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

}  // namespace

std::string redact(std::string text, std::string_view key) {
  constexpr std::string_view kMark = "[key]";
  constexpr std::size_t kTelling = 4;  // fewer characters of a key are no secret
  if (key.empty()) return text;
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
    text.replace(at, key.size(), kMark);
    at += kMark.size();
  }
  for (std::size_t size = std::min(key.size() - 1, text.size()); size >= kTelling; --size) {
    if (!text.ends_with(key.substr(0, size))) continue;
    return text.replace(text.size() - size, size, kMark);
  }
  return text;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (line.size() + character.size() > most) break;
    text.remove_prefix(character.size());
    if (length == 0) {
      line += '?';
    } else if (!is_control(character)) {
      line += character;
    } else if (!line.empty() && !line.ends_with(' ')) {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace bench
