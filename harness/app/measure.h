#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "harness/app/execute.h"
#include "harness/hosts.h"
#include "results/store.h"

namespace bench {

// What is still to be measured: the same in every process of a run.
struct Remaining {
  std::uint64_t seed = 0;
  std::set<MeasurementKey> stored;

  [[nodiscard]] std::int64_t count(const Plan& plan) const;
};

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
