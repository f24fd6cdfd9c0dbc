#pragma once

#include <functional>
#include <optional>
#include <string>

namespace bench {

// Value of an environment variable; nullopt: not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

struct Expanded {
  std::string text;
  std::string unset;  // the first variable that has no value and no default; empty: none
};

// Replaces ${NAME} and ${NAME:-default}. An empty variable counts as unset, as in the shell's `:-`.
// Throws Error (exit 2) for a `${` that is not of this form.
Expanded expand_variables(const std::string& text, const Environment& environment);

bool has_variables(const std::string& text);

}  // namespace bench
