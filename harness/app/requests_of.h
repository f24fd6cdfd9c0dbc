#pragma once

#include "dashboards/request_trace.h"

namespace bench {

// The requests that a measurement of a live server stored, for the charts. Throws Error when they
// cannot be read.
PassTrace requests_of(const Measurement& measurement);

}  // namespace bench
