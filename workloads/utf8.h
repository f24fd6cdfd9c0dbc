#pragma once

#include <string>
#include <string_view>

#include "workloads/yaml.h"

namespace bench {

// Whether a byte of UTF-8 text belongs to the character of the byte before.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u;
}

// Line and column (in characters) of a byte of UTF-8 text.
Where where_of(std::string_view text, const std::string& source, std::size_t offset);

// Complains of the first byte that makes this no UTF-8 text: NUL and other control characters,
// broken sequences.
void check_text(std::string_view text, const std::string& source);

}  // namespace bench
