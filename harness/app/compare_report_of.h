#pragma once

#include "dashboards/compare_report.h"
#include "results/run.h"

namespace bench {

// The page of two stored runs, judged by their main metrics.
CompareReport compare_report_of(const RunRecord& baseline, const RunRecord& candidate,
                                const CompareOptions& options = {});

}  // namespace bench
