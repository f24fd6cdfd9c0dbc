#pragma once

// fmt stands in for <format>, which g++ 12 lacks. The only place that includes it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

namespace bench {
inline namespace formatting {
// An object, as a function would be ambiguous with std::format, which arguments of std bring in
// wherever the library has it (g++ 13). Named as the function that it stands for.
// NOLINTNEXTLINE(readability-identifier-naming)
inline constexpr auto format = []<typename... T>(fmt::format_string<T...> text, T&&... values) {
  return fmt::format(text, std::forward<T>(values)...);
};
}  // namespace formatting
using fmt::join;
}  // namespace bench
