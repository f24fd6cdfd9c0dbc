#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bench {

// Bytes as text for JSON (RFC 4648, section 4, with padding).
std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);  // nullopt: not base64

}  // namespace bench
