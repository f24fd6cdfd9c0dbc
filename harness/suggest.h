#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

// " (did you mean 'context'?)" for the nearest of `known` by edit distance; empty when none is
// near (more than a third of the letters differ).
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace bench
