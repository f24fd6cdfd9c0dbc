#include "harness/app/processes.h"

namespace bench {

std::unique_ptr<Hosts> join_processes() {
  if (started_by_mpi()) {
    fail_usage("started by mpirun or srun, but this build has no MPI (libopenmpi-dev, then build)");
  }
  return std::make_unique<Alone>();
}

void end_processes(Exit /*exit*/) {}

}  // namespace bench
