#pragma once

#include <span>

#include "dashboards/html.h"

namespace bench {

// A column of a table of cases: report.js sorts by it and filters.
struct TableColumn {
  const char* title;
  const char* css;     // "num": figures; "wide": hidden on narrow screens (report.css names both)
  const char* filter;  // what a choice of its words is called; empty: none
  const char* help = "";
};

// Opens a scrolling table of these classes, and its body; three elements are then open.
void open_table(const char* classes, const char* caption, std::span<const TableColumn> columns,
                Html& page);

}  // namespace bench
