#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/sampling.h"
#include "workloads/case.h"

namespace bench {

// One combination of a workload's axes; each of its variants makes a case.
struct Point {
  Parameters parameters;
  std::string skip;  // why this point is left out (from `skip:`); empty: measured
};

// One entry of `workloads:` in a configuration, expanded.
struct Workload {
  std::string name;
  std::string runner;
  std::vector<std::string> variants;
  std::string baseline;           // one of variants; the "before" of the before/after table
  std::vector<std::string> axes;  // parameter names, in the order of the file
  std::vector<Point> points;
  std::int64_t replicates = 3;
  Sampling sampling;
  double deadline_s = 600;  // a case silent for longer is ended and marked `timeout`

  [[nodiscard]] Case case_of(const Point& point, const std::string& variant) const;
};

// A gate of `gates:`; judged by `bench gate`.
struct Gate {
  std::string workload;
  std::string metric;
  double min_effect = 0.02;  // fraction
};

// A whole configuration file, checked and expanded.
struct Plan {
  std::string name;
  std::string path;    // of the file, for messages
  std::string source;  // its text after --set, stored with the run; ${VAR} not expanded (secrets)
  std::vector<Workload> workloads;
  std::vector<Gate> gates;
  std::map<std::string, std::string> keep;  // retention, e.g. samples: 30d
};

}  // namespace bench
