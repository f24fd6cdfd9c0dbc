#pragma once

#include <string>
#include <string_view>

namespace bench {

// The text with "***" in the place of secrets: values of environment variables that are named like
// one (KEY, TOKEN, SECRET, PASSWORD), bearer tokens, user:password in a URL, and what follows
// --api-key, token=, "password": and the like. A ${VAR} stays: it only names a variable.
std::string masked(std::string_view text);

}  // namespace bench
