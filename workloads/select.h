#pragma once

#include <string>
#include <vector>

#include "workloads/workload.h"

namespace bench {

// Keeps what the patterns of --only match: globs on the name of a workload, or on
// workload/variant. No patterns: everything. Complains of a pattern that matches nothing.
void select(std::vector<Workload>& workloads, const std::vector<std::string>& only);

// Whether a pattern spells the workload's name out.
bool asked_by_name(const std::string& workload, const std::vector<std::string>& only);

}  // namespace bench
