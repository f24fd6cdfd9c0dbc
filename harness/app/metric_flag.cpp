#include "harness/app/metric_flag.h"

#include <vector>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/suggest.h"

namespace bench {

const MetricInfo& metric_of_flag(const std::string& name) {
  if (const MetricInfo* info = find_metric(name)) return *info;
  std::vector<std::string> known;
  for (const MetricInfo& info : metric_table()) known.emplace_back(info.name);
  fail_usage(format("--metric: no metric '{}'{}", name, suggestion(name, known)));
}

}  // namespace bench
