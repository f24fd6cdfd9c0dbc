#include "results/environment.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/error.h"
#include "harness/format.h"
#include "results/build.h"

namespace bench {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value of the first line "key ... : value" or "key=value" of a file.
std::string value_of(const std::string& path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(separator);
    if (!line.starts_with(key) || at == std::string::npos) continue;
    const auto start = line.find_first_not_of(" \t\"", at + 1);
    if (start == std::string::npos) return {};
    return line.substr(start, line.find_last_not_of(" \t\"") - start + 1);
  }
  return {};
}

// Hardware threads that this process may use: the affinity mask, then the cgroup's quota.
std::string cpu_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  double threads = CPU_COUNT(&set);
  std::istringstream quota(
      first_line("/sys/fs/cgroup/cpu.max"));  // "200000 100000" or "max 100000"
  double allowed = 0;
  double period = 0;
  if (quota >> allowed >> period && period > 0) threads = std::min(threads, allowed / period);
  return format("{:.3g}", threads);
}

std::string memory() {
  const double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return format("{:.0f} GiB", std::ceil(bytes / (1 << 30)));
}

std::string kernel() {
  utsname names{};
  if (uname(&names) != 0) return {};
  return format("{} {}", static_cast<const char*>(names.sysname),
                static_cast<const char*>(names.release));
}

std::string load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? format("{:.2f}", load) : std::string{};
}

}  // namespace

std::string_view to_string(FactRole role) {
  switch (role) {
    case FactRole::machine:
      return "machine";
    case FactRole::software:
      return "software";
    case FactRole::circumstance:
      break;
  }
  return "circumstance";
}

FactRole fact_role_from(std::string_view text) {
  for (const auto role : {FactRole::machine, FactRole::software, FactRole::circumstance}) {
    if (text == to_string(role)) return role;
  }
  fail(format("'{}' is no role of a fact", text));
}

std::string fingerprint(const std::vector<Fact>& facts) {
  std::vector<std::string> lines;
  for (const auto& fact : facts) {
    if (fact.role == FactRole::machine) lines.push_back(fact.name + '=' + fact.value + '\n');
  }
  std::ranges::sort(lines);
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const auto& line : lines) {
    for (const char byte : line) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  return format("{:016x}", hash);
}

std::string host_name() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size()) != 0) return {};
  name.resize(name.find('\0'));
  return name;
}

std::vector<Fact> host_facts() {
  using enum FactRole;
  std::vector<Fact> facts{
      {"host", host_name(), software},
      {"cpu_model", value_of("/proc/cpuinfo", "model name", ':'), machine},
      {"cpu_threads", cpu_threads(), machine},
      {"memory", memory(), machine},
      {"kernel", kernel(), software},
      {"os", value_of("/etc/os-release", "PRETTY_NAME", '='), software},
      {"cpu_governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
       software},
      {"compiler", std::string(kCompiler), software},
      {"build_type", std::string(kBuildType), software},
      {"bench_version", std::string(kVersion), software},
      {"bench_commit", std::string(kCommit), software},
      {"load_average", load_average(), circumstance},
  };
  std::erase_if(facts, [](const Fact& fact) { return fact.value.empty(); });
  return facts;
}

}  // namespace bench
