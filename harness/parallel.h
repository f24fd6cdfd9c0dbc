#pragma once

#include <cstddef>
#include <functional>

namespace bench {

// Calls work(i) for every i below `count`, begun in that order, on as many threads as there are
// CPUs, `most` at the most. After the first exception none is begun; it is thrown on when all of
// them have ended.
void in_parallel(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work);

}  // namespace bench
