#pragma once

#include <atomic>

namespace bench {

// True once the user pressed Ctrl-C or the system asked us to end (SIGINT, SIGTERM, SIGHUP). A
// second signal ends the process at once. The handlers are installed on the first call.
const std::atomic<bool>& interrupted();

}  // namespace bench
