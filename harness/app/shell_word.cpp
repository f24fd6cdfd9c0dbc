#include "harness/app/shell_word.h"

namespace bench {

std::string shell_word(const std::string& word) {
  const bool plain =
      !word.empty() && word.find_first_of(" \t\n'\"\\$`*?[](){}<>|&;#~!") == std::string::npos;
  if (plain) return word;
  std::string text;
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + text + "'";
}

}  // namespace bench
