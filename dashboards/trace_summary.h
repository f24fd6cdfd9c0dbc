#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/trace/analysis.h"

namespace bench {

// A fact of a trace and what it is of: "step", "11.96 ms: busy 11.66 ms, ...". The title is empty
// where it goes on with the one before.
struct TraceFact {
  std::string title, text;
};
std::vector<TraceFact> trace_facts(const TraceAnalysis& analysis);

// What `bench trace FILE` prints: ten lines at most.
std::string trace_summary(const TraceAnalysis& analysis);

// One line a rank, where there are several: their steps side by side.
std::string trace_ranks(std::span<const TraceAnalysis> ranks);

// Why a file of a folder is not among the ranks.
std::string trace_left_out(const std::string& why);

// The sentence of the largest waste: "89 % of each decode step casts ...", or that there is none.
std::string waste_sentence(const TraceAnalysis& analysis);

// All kernels of a step, longest first: what `--kernels` adds.
std::string trace_kernel_table(const TraceAnalysis& analysis);

// A kernel's name without its parameters and what only templates need, at most `width` wide.
std::string short_kernel_name(const std::string& name, std::size_t width);

}  // namespace bench
