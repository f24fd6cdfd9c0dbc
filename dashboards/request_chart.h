#pragma once

#include <span>

#include "dashboards/html.h"
#include "dashboards/request_trace.h"

namespace bench {

// Requests in flight over one pass: between two times of a step function its fewest and its most,
// in at most `buckets` equal stretches from 0 to the last end.
struct InFlight {
  double seconds = 0;  // length of the pass
  std::vector<double> fewest, most;
};
InFlight in_flight(std::span<const RequestTrace> requests, std::size_t buckets);

// The timeline of requests in flight of one pass, with its steady window and its failures.
void draw_in_flight(const std::string& title, const PassTrace& pass, Html& page);

}  // namespace bench
