#pragma once

#include <string>

#include "dashboards/summary.h"

namespace bench {

enum class Detail {
  compact,  // the headline and one line a point
  normal,   // and where the time goes at the headline's point, pool slopes, what went wrong
  full,     // and where the time goes at every point
};

struct TerminalOptions {
  int width = 80;
  bool colour = false;
  Detail detail = Detail::normal;
};

// Of standard output: its width (COLUMNS where it is no terminal, else 80); colour only on a
// terminal and without NO_COLOR.
TerminalOptions detect_terminal();

// The before/after table of a run as text, lines ended by '\n', none wider than options.width
// unless a single column is.
std::string terminal_summary(const RunSummary& summary, const TerminalOptions& options);

}  // namespace bench
