#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/variables.h"
#include "workloads/workload.h"

namespace bench {

// More cases (points x variants) than this in one file are refused before they are expanded.
inline constexpr std::int64_t kMostCases = 100'000;

// What a plan depends on beside its file.
struct PlanOptions {
  std::vector<std::string> set;            // --set, "key=value", applied in order
  std::vector<std::string> only;           // --only, globs; empty: everything
  std::vector<std::string> model_folders;  // where presets are, first come first served
  Environment environment;                 // for ${VAR}; empty: none is set
  std::vector<std::string> runners;        // that this build has; empty: not checked
  std::vector<std::string> metrics;        // that gates may name; empty: not checked
  bool measured = false;  // the text is of a run that was made: it waits for no variable
};

// Reads, checks and expands a configuration file (design.md 10). Whatever is wrong with it is one
// Error (exit 2): "file:line:column: what is wrong (what would be right)". A workload that waits
// for an environment variable has its points marked as skipped, unless --only names it or nothing
// else is left: then that is an error.
Plan load_plan(const std::string& path, const PlanOptions& options);

// The same of text, such as Plan::source of a stored run. `path` is for complaints, and where
// model paths begin.
Plan parse_plan(const std::string& text, const std::string& path, const PlanOptions& options);

}  // namespace bench
