#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/app/arguments.h"
#include "harness/error.h"
#include "harness/registry.h"

namespace bench {

// One subcommand, one file, ending in
//   const Register<Command> kRegistered{{.name = "list", ...}};
struct Command {
  std::string name;
  std::string summary;      // one line of `bench --help`
  std::string positionals;  // "CONFIG", "BASE CAND", "[RUN]"; brackets: may be left out
  std::vector<Flag> flags;
  std::string example;  // shown by --help
  bool hidden = false;
  std::function<Exit(const Arguments&)> run;
  [[nodiscard]] std::string key() const { return name; }
};

}  // namespace bench
