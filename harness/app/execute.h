#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/app/session.h"
#include "harness/app/survey.h"
#include "results/store.h"

namespace bench {

// How a worker is started: the very program that runs, even when a build has put another in its
// place meanwhile.
std::vector<std::string> worker_command();

// Measures what a plan asks for, each result stored before the next begins. Servers of the plan are
// started and stopped around the cases that are theirs, in every replicate.
struct Executed {
  std::int64_t run = 0;
  bool whole = false;  // false: it was interrupted
};

// The devices must be locked. Throws Error (exit 2) when something does not fit in memory: then
// nothing is stored.
Executed execute(Store& store, const Plan& plan, const Survey& survey, const RunRequest& request);

// Runs that are measured together, replicate by replicate: of every two replicates one begins with
// the first arm and one with the last, so that neither place nor a steady drift favours one.
struct Arm {
  const Plan* plan;
  RunRequest request;
  std::vector<std::string> worker;  // command: perhaps of an older bench
};
std::vector<Executed> execute_interleaved(Store& store, const std::vector<Arm>& arms,
                                          const Survey& survey);

}  // namespace bench
