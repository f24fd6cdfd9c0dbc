#pragma once

#include <string>
#include <string_view>

namespace bench {

// `text` as it may stand in HTML and XML, between tags and within quotes.
std::string escape_markup(std::string_view text);

}  // namespace bench
