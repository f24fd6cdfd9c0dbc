#pragma once

#include "dashboards/html.h"
#include "dashboards/site.h"

namespace bench {

// One mark a run, oldest at the left, a row a configuration: its worst verdict as a shape.
void draw_nights(const Site& site, Html& page);

}  // namespace bench
