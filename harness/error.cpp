#include "harness/error.h"

namespace bench {

Error::Error(const std::string& message, Exit exit) : std::runtime_error(message), exit_(exit) {}

void fail(const std::string& message) { throw Error(message); }

void fail_usage(const std::string& message) { throw Error(message, Exit::usage); }

}  // namespace bench
