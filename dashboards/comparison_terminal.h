#pragma once

#include <string>

#include "dashboards/terminal.h"
#include "results/compare.h"

namespace bench {

// The comparison as text: what needs a look first, each row with its reason and, where its stages
// are known, where the change comes from; unchanged rows as a count, or all with Detail::full.
// Changes recompute from the figures shown.
std::string comparison_text(const Comparison& comparison, const TerminalOptions& options);

}  // namespace bench
