#pragma once

#include <string>

#include "dashboards/html.h"

namespace bench {

// The frame of every page of ours: head with policy, style and script; `body` inside.
std::string whole_page(const std::string& title, const std::string& body);

// Files of dashboards/ as built into the program.
extern const char* const kReportCss;
extern const char* const kReportJs;

}  // namespace bench
