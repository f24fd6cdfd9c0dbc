#pragma once

#include <string>

#include "results/result.h"

namespace bench {

// The metric that --metric names. Throws Error (exit 2), with the nearest name, when there is none.
const MetricInfo& metric_of_flag(const std::string& name);

}  // namespace bench
