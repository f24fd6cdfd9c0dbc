#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bench {

// What a server says, before it is stored or shown.

// Every occurrence of `key` in `text` replaced by "[key]", and a beginning of it at the end, where
// the text may have been cut.
std::string redact(std::string text, std::string_view key);

// At most that many bytes, without anything that a terminal would obey: control characters and line
// ends become one blank, bytes that are no UTF-8 '?'.
std::string one_line(std::string_view text, std::size_t most = std::string::npos);

}  // namespace bench
