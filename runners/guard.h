#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/units.h"

namespace bench {

// What a guard starts: words and values as they are used, nothing left to expand.
struct GuardedProgram {
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  // beside ours
  std::string directory;                           // empty: ours
  std::string log;                                 // its output goes there
  int stop_signal = 0;
  Seconds stop_deadline{0};
};

// The lines between bench and the guard of a server, over one socket:
//   bench -> guard   the program, as JSON; closing the socket stops it
//   guard -> bench   "started PID", "ended exit 1" or "ended signal 9 (Killed)" if it ends by
//   itself
std::string encode(const GuardedProgram& program);

// The guard, the hidden command `bench guard`: a process between bench and a server, that sees
// bench die, however that happens, and then stops the server with all that it has started, as
// stop() does. Reads and writes descriptor 0.
void serve_guard();

}  // namespace bench
