#pragma once

#include <vector>

#include "harness/app/arguments.h"
#include "results/compare.h"

namespace bench {

// What commands that end in a comparison have in common.

// --format, --output, --all, --across-machines, --db.
std::vector<Flag> comparison_flags();

// Throws Error (exit 2) for a format that is none, before anything is compared.
void check_format(const Arguments& arguments);

// Writes the comparison in the format asked for, to the file or to standard output.
void write_comparison(const Comparison& comparison, const Arguments& arguments, bool strict);

}  // namespace bench
