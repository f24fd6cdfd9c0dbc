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

// Measures what a plan asks for, each result stored before the next begins.
struct Executed {
  std::int64_t run = 0;
  bool whole = false;  // false: it was interrupted
};

// The devices must be locked. Throws Error (exit 2) when something does not fit in memory: then
// nothing is stored.
// The other processes of the run follow() meanwhile.
Executed execute(Store& store, const Plan& plan, const Survey& survey, const RunRequest& request,
                 Hosts* hosts = nullptr);

// Measures as process 0 says, and stores nothing.
void follow(const Plan& plan, const Survey& survey, Hosts& hosts);

}  // namespace bench
