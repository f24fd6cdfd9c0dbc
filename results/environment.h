#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

// How far two runs may be compared when a fact differs between them.
enum class FactRole {
  machine,       // not at all: another GPU model, count, power limit, CPU, engine arguments
  software,      // yes, and the difference is listed: driver, CUDA, kernel, commit, GPU UUIDs
  circumstance,  // it always differs: load, temperature
};
std::string_view to_string(FactRole role);
FactRole fact_role_from(std::string_view text);  // throws Error

// One thing that was true of the machine, the build or the engine under test.
struct Fact {
  std::string name;  // cpu_model, gpu0.driver, server.before.arguments
  std::string value;
  FactRole role = FactRole::software;
};

// 16 hex digits of the facts of role `machine`, whatever their order: equal for two runs that may
// be compared, equal after a reboot.
std::string fingerprint(const std::vector<Fact>& facts);

std::string host_name();

// What this host and build say of themselves: host, cpu_model, cpu_threads (those this process
// may use), memory (rounded: a kernel update moves it by a few pages), kernel, os, cpu_governor,
// compiler, build_type, bench_version, bench_commit, load_average. Unreadable ones are left out.
std::vector<Fact> host_facts();

}  // namespace bench
