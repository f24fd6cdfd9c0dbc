#pragma once

#include <vector>

#include "dashboards/html.h"
#include "dashboards/trend.h"

namespace bench {

// The lasting changes of all trends, the newest first, each with a link to its trend.
void draw_changes(const std::vector<Trend>& trends, Html& page);

// One row a trend: newest value, change against the baseline, a spark line. A row opens to the
// chart with its levels, their changes and the baseline.
void draw_trend_table(const std::vector<Trend>& trends, Html& page);

}  // namespace bench
