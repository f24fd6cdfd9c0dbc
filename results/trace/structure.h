#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

// Where a JSON text has its quotes (opening and closing, not escaped ones) and, outside of strings,
// its braces: replaces `positions`, in order. The text must begin outside of a string and be below
// 4 GiB. 64 bytes at a time, after Langdale and Lemire, "Parsing gigabytes of JSON per second"
// (2019), section 3.1.
void find_structure(std::string_view text, std::vector<std::uint32_t>& positions);

}  // namespace bench
