#pragma once

#include <stdexcept>
#include <string>

namespace bench {

// The exit codes of every command (README, "Exit codes"). Only main() returns them.
enum class Exit : int {
  ok = 0,
  regression = 1,  // a gate or comparison found one
  usage = 2,       // bad flag, bad file, bad value: nothing was measured
  unjudged = 3,    // missing, invalid, failed or (under --strict) inconclusive results
  locked = 75,     // another run holds the machine
};

// The one exception type of bench. The text is what the user reads: what was being done, what is
// wrong, what would be right. main() prints it once.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Exit exit = Exit::unjudged);
  [[nodiscard]] Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

[[noreturn]] void fail(const std::string& message);        // exit 3
[[noreturn]] void fail_usage(const std::string& message);  // exit 2

// Asked for more memory than the device or host has. Costs the case, never the run.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace bench
