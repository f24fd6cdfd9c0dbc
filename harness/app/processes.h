#pragma once

#include <functional>
#include <memory>

#include "harness/error.h"
#include "harness/hosts.h"

namespace bench {

// The processes that mpirun or srun started together with this one; by itself, it is alone. Throws
// Error when it was started so and this build has no MPI.
std::unique_ptr<Hosts> join_processes();

// Calls work() in every process. An error of one is told to the others in place of what it would
// have exchanged next and ends all: the first process throws it, once where several have the same,
// and the others return. One that does not come to be told is ended by force.
Exit together(Hosts& hosts, const std::function<Exit(Hosts&)>& work);

// By force: ends all of them with this exit code. Does nothing for a process that is alone.
void end_processes(Exit exit);

// Whether an MPI launcher started this process, by the variables that they leave.
bool started_by_mpi();

}  // namespace bench
