#pragma once

#include <string>
#include <vector>

#include "results/run.h"
#include "results/unfinished_requests.h"

namespace bench {

// What another client (vllm, sglang, guidellm, ...) would have reported of a run's HTTP cases, by
// its own formulas from the stored token events, beside ours. Throws Error (exit 2) for a client
// that is not known. The run must be loaded with its samples; `cut_off` is what is kept of cases
// that were never done.
std::string show_as(const RunRecord& run, const std::vector<Unfinished>& cut_off,
                    const std::string& client);

}  // namespace bench
