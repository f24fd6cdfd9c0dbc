#include "kernels/cpu/host.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "harness/format.h"
#include "kernels/threads.h"

namespace bench {
namespace {

// First number after `key` in a file of "key: value" lines.
std::int64_t field(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key)) return std::strtoll(line.c_str() + key.size(), nullptr, 10);
  }
  return 0;
}

// The only number of a file; 0 where there is none ("max").
std::int64_t number(const std::string& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  return file >> value ? value : 0;
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace

std::int64_t available_memory() {
  std::int64_t bytes = field("/proc/meminfo", "MemAvailable:") * 1024;
  const std::int64_t limit = number("/sys/fs/cgroup/memory.max");
  if (limit > 0) bytes = std::min(bytes, limit - number("/sys/fs/cgroup/memory.current"));
  return std::max(bytes, std::int64_t{0});
}

// Data or unified cache of the highest level ("491520K").
std::int64_t last_level_cache() {
  std::int64_t bytes = 0;
  for (int i = 0; i < 8; ++i) {
    const auto index = format("/sys/devices/system/cpu/cpu0/cache/index{}/size", i);
    bytes = std::max(bytes, number(index) * 1024);
  }
  return bytes;
}

DeviceInfo describe_host() {
  DeviceInfo info{};
  info.kind = DeviceKind::cpu;
  info.name = cpu_name();
  info.multiprocessors = available_cores();
  info.cache_bytes = last_level_cache();
  info.memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  info.memory_free_bytes = available_memory();
  return info;
}

}  // namespace bench
