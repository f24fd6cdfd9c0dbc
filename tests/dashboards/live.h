#pragma once

#include "dashboards/report.h"

namespace bench::testing {

// A run of a live server at three concurrencies, with its requests; one of them failed.
RunReport live_report();

}  // namespace bench::testing
