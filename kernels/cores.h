#pragma once

#include <string>
#include <vector>

namespace bench {

// Cores that the calling thread may run on.
std::vector<int> allowed_cores();

// The index-th of `count` shares of them; with more shares than cores, cores are used in turn.
std::vector<int> shared_cores(int index, int count);

// "0-3,8" as Linux writes lists of cores; what cannot be read is left out.
std::vector<int> parse_core_list(const std::string& text);

// Keeps the calling thread, and threads that it starts, on those of `cores` it may use; where that
// is none, it stays where it is.
void stay_on(const std::vector<int>& cores);

}  // namespace bench
