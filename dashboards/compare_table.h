#pragma once

#include "dashboards/compared_runs.h"
#include "dashboards/html.h"

namespace bench {

// One row a compared metric of a case; a row opens to its stages before and after, its samples on
// both sides, the reason of its verdict and the command that measures it again.
void draw_compare_table(const ComparedRuns& comparison, Html& page);

}  // namespace bench
