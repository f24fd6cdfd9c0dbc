#pragma once

#include <cstddef>
#include <string>

#include "results/compare.h"

namespace bench {

struct MarkdownOptions {
  std::size_t budget = 60'000;  // bytes at most: a pull-request comment holds 65,536 characters
  std::string report;           // where the whole comparison is; empty: nowhere
};

// The comparison as GitHub Markdown: what needs a look first and open, unchanged rows folded. Rows
// that do not fit the budget are counted at the end. Changes recompute from the figures shown.
std::string comparison_markdown(const Comparison& comparison, const MarkdownOptions& options = {});

}  // namespace bench
