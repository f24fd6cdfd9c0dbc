// bench version: what this binary is, for a bug report.

#include <algorithm>
#include <iostream>
#include <string_view>

#include "harness/app/command.h"
#include "harness/format.h"
#include "kernels/device.h"
#include "results/environment.h"

namespace bench {
namespace {

// "cpu, cuda": the backends of this build and how many devices each finds here.
std::string backends() {
  std::string text;
  for (const DeviceFactory& factory : Registry<DeviceFactory>::all()) {
    text += format("{}{} ({} here)", text.empty() ? "" : ", ", factory.name, factory.count());
  }
  return text;
}

Exit version(const Arguments& /*arguments*/) {
  const auto fact = [facts = host_facts()](std::string_view name) {
    const auto found = std::ranges::find(facts, name, &Fact::name);
    return found == facts.end() ? "unknown" : found->value;
  };
  std::cout << format("bench {}, commit {}\n", fact("bench_version"), fact("bench_commit"))
            << format("built by {}, {}\n", fact("compiler"), fact("build_type"))
            << format("devices: {}\n", backends());
  return Exit::ok;
}

const Register<Command> kVersionCommand{{
    .name = "version",
    .summary = "what this program is: version, commit, compiler, devices",
    .positionals = "",
    .flags = {},
    .example = "bench version",
    .run = version,
}};

}  // namespace
}  // namespace bench
