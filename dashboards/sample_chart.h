#pragma once

#include <cstddef>
#include <vector>

#include "dashboards/html.h"
#include "dashboards/summary.h"

namespace bench {

// The smallest and largest value of each of at most `buckets` stretches, in order: a drawing that
// is down-sampled so never loses an extreme.
struct Extremes {
  double low, high;
};
std::vector<Extremes> envelope(const std::vector<double>& values, std::size_t buckets);

// The values as a small picture, without axes; nothing below two.
void draw_spark(const std::vector<double>& values, Html& page, std::size_t buckets = 60);

// Every sample of a case in the order taken, replicate after replicate: step time, the SM clock
// under it and where the device was throttled. On a page of many cases a spark line of the times.
void draw_samples(const CaseSummary& c, std::size_t cases_on_page, Html& page);

}  // namespace bench
