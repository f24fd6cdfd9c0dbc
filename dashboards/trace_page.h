#pragma once

#include <string>

#include "dashboards/trace_summary.h"

namespace bench {

// The analysis as one self-contained page in the style of the report: the verdict, one step as a
// timeline, categories, layers, waste, all kernels.
std::string trace_html(const TraceAnalysis& analysis);

}  // namespace bench
