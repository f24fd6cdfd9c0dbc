#include "runners/cpu_watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <sstream>

#include "kernels/cores.h"

namespace bench {
namespace {

// Hundredths of a second. One more or less is a tenth of them; over replicates that averages out.
constexpr double kLeastTicks = 10;

std::string proc_stat() {
  std::ostringstream text;
  text << std::ifstream("/proc/stat").rdbuf();
  return text.str();
}

double own_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

CoreTimes parse_core_times(const std::string& proc_stat, const std::vector<int>& cores) {
  CoreTimes times;
  std::istringstream lines(proc_stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const bool is_wanted =
        std::ranges::any_of(cores, [&](int core) { return name == "cpu" + std::to_string(core); });
    if (!is_wanted) continue;
    std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal
    for (double& t : ticks) words >> t;
    const double total = std::accumulate(ticks.begin(), ticks.end(), 0.0);
    times.busy += total - ticks[3] - ticks[4];
    times.total += total;
  }
  return times;
}

CpuWatch::CpuWatch()
    : cores_(allowed_cores()), start_(parse_core_times(proc_stat(), cores_)), own_s_(own_cpu_s()) {}

std::optional<double> CpuWatch::others() const {
  const CoreTimes now = parse_core_times(proc_stat(), cores_);
  const double total = now.total - start_.total;
  if (total < kLeastTicks) return std::nullopt;
  const double own = (own_cpu_s() - own_s_) * static_cast<double>(sysconf(_SC_CLK_TCK));
  return std::clamp((now.busy - start_.busy - own) / total, 0.0, 1.0);
}

}  // namespace bench
