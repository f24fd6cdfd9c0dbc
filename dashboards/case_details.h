#pragma once

#include <string>

#include "dashboards/html.h"
#include "dashboards/summary.h"

namespace bench {

// What a row of the table opens to. `command` repeats the case; may be empty. `cases` are on the
// page: the more, the coarser their samples are drawn.
void draw_case_details(const CaseSummary& c, const std::string& command, std::size_t cases,
                       Html& page);

// Temperature, power, clock, throttling and other processes, replicate by replicate.
void draw_device_state(const CaseSummary& c, Html& page);

}  // namespace bench
