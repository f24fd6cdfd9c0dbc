#pragma once

#include <optional>
#include <string>

#include "harness/statistics.h"

namespace bench {

// Figures as people read them. Whatever is derived from two figures shown side by side (a change,
// a difference, a rate) is computed from the shown ones, so that a reader who recomputes it gets
// the same digits. All are without their unit, which stands in the column's title.

// Four significant digits, never fewer than the integer part: "95.60", "0.2120", "12345".
std::string significant(double value, int digits = 4);

// The value that significant() shows.
double shown(double value, int digits = 4);

std::string milliseconds(double seconds);  // 0.0956 -> "95.60"
double shown_ms(double seconds);
std::string tokens_per_s(double tpot_s);  // one user's rate, from the shown TPOT

// after/before of two shown times.
double shown_ratio(double before_s, double after_s);

bool reads_as_factor(double ratio);   // a change too large to be read in percent
double percent_change(double ratio);  // 0.775 -> -22.5

// "-22.5 %", "+4.1 %", or from a factor of two on "312 x" (faster) and "2.10 x slower".
std::string change_text(double ratio);

// The interval of a ratio in the same words as change_text(ratio): "[-23.1, -21.9]", "[298, 327]".
std::string interval_text(double ratio, const Interval& interval);

std::string signed_ms(double seconds);        // "+0.310", "-64.60"
std::string percent_of(double fraction);      // 0.876 -> "88 %", 0.0123 -> "1.2 %"
std::string engineering_bytes(double bytes);  // "66.84 GB"; "0 B"

}  // namespace bench
