#include "kernels/cores.h"

#include <sched.h>

#include <algorithm>
#include <sstream>

namespace bench {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

std::vector<int> shared_cores(int index, int count) {
  const std::vector<int> all = allowed_cores();
  const auto cores = static_cast<int>(all.size());
  if (cores == 0) return {};
  if (cores < count) return {all[static_cast<std::size_t>(index % cores)]};
  return {all.begin() + cores * index / count, all.begin() + cores * (index + 1) / count};
}

std::vector<int> parse_core_list(const std::string& text) {
  std::vector<int> cores;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    int first = 0;
    int last = 0;
    char dash = 0;
    std::istringstream range(word);
    if (!(range >> first)) continue;
    if (!(range >> dash >> last)) last = first;
    for (int core = first; core <= last; ++core) cores.push_back(core);
  }
  return cores;
}

void stay_on(const std::vector<int>& cores) {
  const std::vector<int> allowed = allowed_cores();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    if (std::ranges::count(allowed, core) > 0) CPU_SET(core, &set);
  }
  if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof set, &set);
}

}  // namespace bench
