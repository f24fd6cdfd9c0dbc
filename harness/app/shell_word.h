#pragma once

#include <string>

namespace bench {

// A word as a shell reads it back: as it is, or in single quotes with '\'' for a quote.
std::string shell_word(const std::string& word);

}  // namespace bench
