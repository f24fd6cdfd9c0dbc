#pragma once

#include <string>
#include <vector>

#include "harness/error.h"
#include "workloads/workload.h"

namespace bench {

// What `bench doctor` says of one thing, and a nightly run asks before it begins.
enum class Grade {
  fine,
  note,    // may cost accuracy; a run goes on
  bad,     // a run could not be believed, or not be stored
  locked,  // by another run
};
struct Check {
  Grade grade;
  std::string what;  // "database", "GPU 0"
  std::string says;
};

// Who holds the devices; empty: all are free.
std::vector<Check> check_locks(const std::vector<std::string>& devices);

// Load, governor, memory and clock of this host.
std::vector<Check> check_host();

// Foreign processes, memory in use, slowdowns, clocks and links. Of `devices` (UUIDs) only; all of
// the host where it is empty.
std::vector<Check> check_gpus(const std::vector<std::string>& devices);

// The results file, in which nothing may be newer than now, and room for what the plan will store
// (nullptr: no plan).
std::vector<Check> check_storage(const std::string& database, const Plan* plan, double now_unix_s);

// Bytes that a run of the plan stores, from its limits: an upper estimate.
double planned_bytes(const Plan& plan);

// For a run that holds its locks: prints what may cost accuracy, and throws Error with all that
// would make it worthless.
void require_sound(const std::string& database, const Plan& plan,
                   const std::vector<std::string>& devices, double now_unix_s);

// A line a check.
std::string checks_text(const std::vector<Check>& checks);

// locked or unjudged if anything is so bad, else ok.
Exit exit_of(const std::vector<Check>& checks);

}  // namespace bench
