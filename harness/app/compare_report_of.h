#pragma once

#include <vector>

#include "dashboards/compare_report.h"
#include "results/run.h"

namespace bench {

// The gates of a run's configuration; none where this bench cannot read it any more.
std::vector<Gate> known_gates_of(const RunRecord& run);

// By what a page judges a run: what the gates ask, and the main metrics of what they leave out.
std::vector<Asked> asked_of(const RunRecord& run);

// The page of two stored runs.
CompareReport compare_report_of(const RunRecord& baseline, const RunRecord& candidate);

}  // namespace bench
