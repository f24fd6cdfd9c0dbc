#pragma once

#include <memory>

#include "kernels/communicator.h"

namespace bench {

// Collectives of CPU ranks: done on the host, by the meeting alone, in the order of the ranks.
std::unique_ptr<Communicator> make_host_communicator(Meeting& meeting, int rank);

}  // namespace bench
