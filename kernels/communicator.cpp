#include "kernels/communicator.h"

#include <algorithm>

namespace bench {

bool Communicator::all(bool mine) {
  return std::ranges::all_of(exchange(mine ? "yes" : "no"),
                             [](const std::string& said) { return said == "yes"; });
}

}  // namespace bench
