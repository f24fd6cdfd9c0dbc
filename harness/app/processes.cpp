#include "harness/app/processes.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace bench {

bool started_by_mpi() {
  static constexpr const char* kVariables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK",
                                               "PMIX_RANK"};
  return std::any_of(std::begin(kVariables), std::end(kVariables),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace bench
