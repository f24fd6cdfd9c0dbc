#pragma once

#include "dashboards/html.h"
#include "dashboards/summary.h"

namespace bench {

// The ranks of a case's step, where there are several: each one's time beside the others', or of
// very many the spread and the slowest.
void draw_ranks(const CaseSummary& c, Html& page);

}  // namespace bench
