#pragma once

#include <vector>

#include "dashboards/report.h"
#include "results/run.h"

namespace bench {

// The workloads of a stored run, put together again from its manifest.
std::vector<Workload> workloads_of(const std::vector<PlannedCase>& plan);

// All that the report and the terminal show of a stored run.
RunReport report_of(const RunRecord& run);

// Writes the whole text, or throws Error that names the file; a reader never sees half of it.
void write_file(const std::string& path, const std::string& text);

}  // namespace bench
