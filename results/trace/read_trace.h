#pragma once

#include <string>
#include <vector>

#include "results/trace/trace.h"

namespace bench {

// Each throws Error (exit 2) with one line that names the file and says what would be right.

Trace read_kineto(const std::string& path);  // torch profiler's JSON, plain or gzip
Trace read_nsys(const std::string& path);    // `nsys export --type sqlite`
Trace read_trace(const std::string& path);   // either, told by the first bytes

// The file itself; of a directory, its *.json, *.json.gz and *.sqlite, sorted by name.
std::vector<std::string> trace_files(const std::string& path);

}  // namespace bench
