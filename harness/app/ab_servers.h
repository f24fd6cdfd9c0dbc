#pragma once

#include "harness/app/arguments.h"
#include "harness/error.h"

namespace bench {

// bench ab CONFIG with `servers: {before, after}`: both are started in turn, in balanced order, as
// often as --pairs says, and measured each time. Starts are the replicates; the verdict takes them
// as independent. A start that fails costs its replicate.
Exit compare_servers(const Arguments& arguments);

}  // namespace bench
