#pragma once

#include <string>

#include "runners/http/http_client.h"
#include "workloads/parameters.h"

namespace bench {

// The endpoint of a case with its key, which comes from the environment variable or the file that
// the parameters name, or else from BENCH_API_KEY; never from a command line or the URL. Throws
// Error (exit 2) that says what is wrong, and never what the key is.
HttpEndpoint endpoint_of(const Parameters& parameters);

}  // namespace bench
