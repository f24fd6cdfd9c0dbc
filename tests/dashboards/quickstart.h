#pragma once

#include <string>
#include <vector>

#include "dashboards/report.h"
#include "results/result.h"
#include "workloads/workload.h"

namespace bench::testing {

// A scripted run in the shape of the quickstart: two workloads, five variants that work and the
// negative control that must not. Times follow bytes, so that every figure can be checked by hand.
struct Quickstart {
  std::vector<Workload> workloads;
  std::vector<Measurement> measurements;
  double copy_bytes_per_s = 10e9;
};

Quickstart quickstart();

// The quickstart as its report takes it, everything fixed.
RunReport quickstart_report();

// A report of as many cases, five variants a point, with as many samples in all.
RunReport large_report(std::size_t cases, std::size_t samples);

// A workload over one axis with the given variants, the first of which is the baseline.
Workload workload(const std::string& name, const std::vector<std::string>& variants,
                  const std::vector<Parameters>& points, const std::vector<std::string>& axes);

// A correct measurement whose every sample is `tpot_s`.
Measurement measured(const Workload& workload, const Case& what, std::int64_t replicate,
                     double tpot_s);

}  // namespace bench::testing
