#pragma once

#include <string>
#include <vector>

#include "results/run.h"

namespace bench {

inline Case kernel_case(const std::string& variant, std::int64_t context = 4096) {
  Case c{"kernel", variant, {}};
  c.parameters.context = context;
  return c;
}

// Eight step times scattered by 0.1 % around `step_s`.
inline std::vector<double> steps(double step_s, std::size_t replicates = 8) {
  const std::vector<double> scatter{0.999, 1.000, 1.001, 1.000, 0.9995, 1.0005, 1.000, 1.000};
  std::vector<double> values;
  for (std::size_t i = 0; i < replicates; ++i) {
    values.push_back(step_s * scatter[i % scatter.size()]);
  }
  return values;
}

// Plans the case in workload "decode" and adds a measurement a step time.
inline void add_case(RunRecord& run, const Case& c, const std::vector<double>& step_times,
                     bool is_baseline = false) {
  run.plan.push_back({c,
                      "decode",
                      {"context"},
                      "context 4k",
                      is_baseline,
                      static_cast<std::int64_t>(step_times.size()),
                      ""});
  for (std::size_t i = 0; i < step_times.size(); ++i) {
    Measurement m;
    m.what = c;
    m.workload = "decode";
    m.replicate = static_cast<std::int64_t>(i);
    m.metrics = {{"tpot_s", step_times[i], 1}};
    run.measurements.push_back(m);
  }
}

inline RunRecord run_of(const Case& c, const std::vector<double>& step_times) {
  RunRecord run;
  run.environment = {{"gpu0.model", "H200", FactRole::machine},
                     {"gpu0.driver", "595.1", FactRole::software},
                     {"load_average", "0.5", FactRole::circumstance}};
  add_case(run, c, step_times);
  return run;
}

}  // namespace bench
