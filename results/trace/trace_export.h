#pragma once

#include <span>
#include <string>

#include "results/run.h"
#include "results/trace/analysis.h"

namespace bench {

// Everything the analysis holds, as JSON; times in seconds unless the name says ns.
std::string trace_json(const TraceAnalysis& analysis);

// A configuration that reproduces the largest waste on a machine of one's own, with `model` as its
// preset and what the trace says as values. Throws Error (exit 2) when there is no waste, or its
// rows could not be told.
std::string trace_workload(const TraceAnalysis& analysis, const std::string& model);

// The preset whose layers are those of the trace: glm5 for 78; else glm5, to be told otherwise.
std::string likely_model(std::int64_t layers);

// The ranks of one recording as a run of `bench compare`: a case of its step, one a category, and
// one a kernel, so that a comparison says which appeared or vanished. A rank is a
// replicate; steps are samples. The id follows from the figures: stored twice is stored once.
RunRecord trace_run(std::span<const TraceAnalysis> ranks);

}  // namespace bench
