#pragma once

#include <string>
#include <vector>

#include "dashboards/summary.h"

namespace bench {

// What limits trust in a run, one line each, the gravest first: throttling, other processes on the
// device, cases without a speed or not measured at all, too few replicates for an interval, and
// what the client of a live server noted.
std::vector<std::string> trust_warnings(const RunSummary& summary);

}  // namespace bench
