#pragma once

#include <functional>
#include <string>

#include "harness/app/execute.h"
#include "harness/app/remaining.h"
#include "harness/hosts.h"

namespace bench {

// What the process that stores does with it; the others do nothing.
struct Keeper {
  std::function<void(const std::string& name)> begin = [](const std::string&) {};
  std::function<void(const MeasurementKey&, const std::string& records)> requests =
      [](const MeasurementKey&, const std::string&) {};
  std::function<void(const std::string& name, const Measurement&)> result =
      [](const std::string&, const Measurement&) {};
};

// Measures it, replicate by replicate, in fresh workers. All processes of the run call this.
void measure(const Plan& plan, const Survey& survey, Remaining& remaining, const Keeper& keeper,
             Hosts* hosts);

// Everyone's is process 0's.
void share(Remaining& remaining, Hosts& hosts);

// execute() of a run of several processes, by process 0, while the others follow(), who measure as
// it says and store nothing.
Executed execute_together(Store& store, const Plan& plan, const Survey& survey,
                          const RunRequest& request, Hosts& hosts);
void follow(const Plan& plan, const Survey& survey, Hosts& hosts);

}  // namespace bench
