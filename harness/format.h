#pragma once

// fmt stands in for <format>, which g++ 12 lacks. The only place that includes it.
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bench {
using fmt::format;
using fmt::join;
}  // namespace bench
