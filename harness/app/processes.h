#pragma once

#include <memory>

#include "harness/error.h"
#include "harness/hosts.h"

namespace bench {

// The processes that mpirun or srun started together with this one; by itself, it is alone. Throws
// Error when it was started so and this build has no MPI.
std::unique_ptr<Hosts> join_processes();

// Ends all of them with this one's exit code, as nobody else would otherwise hear of an error here;
// does nothing for a process that is alone.
void end_processes(Exit exit);

// Whether an MPI launcher started this process, by the variables that they leave.
bool started_by_mpi();

}  // namespace bench
