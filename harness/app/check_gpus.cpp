// What is on the GPUs, and what holds their clocks down.

#include <algorithm>
#include <string>

#include "harness/app/checks.h"
#include "harness/format.h"
#include "harness/units.h"
#include "kernels/gpus.h"

namespace bench {
namespace {

// What an idle GPU holds for its driver; a process list may be empty inside a container.
constexpr double kIdleShare = 0.02;
constexpr double kIdleUse = 0.05;

std::string describe(const std::vector<GpuProcess>& processes) {
  std::vector<std::string> words;
  words.reserve(processes.size());
  for (const GpuProcess& p : processes) {
    words.push_back(format("{} {}{}", p.name.empty() ? "process" : p.name, p.pid,
                           p.bytes > 0 ? " with " + format_bytes(p.bytes) : ""));
  }
  return format("{}", join(words, ", "));
}

void check_foreign(const GpuStatus& gpu, const std::string& what, std::vector<Check>& checks) {
  if (!gpu.processes.empty()) {
    checks.push_back({Grade::bad, what, "in use by " + describe(gpu.processes)});
  } else if (gpu.used_bytes > kIdleShare * gpu.memory_bytes) {
    checks.push_back({Grade::bad, what,
                      format("{} of its memory are in use by a process that the driver does not "
                             "show (another container?)",
                             format_bytes(gpu.used_bytes))});
  } else if (gpu.utilisation.value_or(0) > kIdleUse) {
    checks.push_back(
        {Grade::bad, what, format("{:.0f} % busy before the run begins", *gpu.utilisation * 100)});
  }
}

void check_speed(const GpuStatus& gpu, const std::string& what, std::vector<Check>& checks) {
  for (const std::string& reason : gpu.slowdowns) {
    const bool hard = reason.ends_with("slowdown");
    checks.push_back({hard ? Grade::bad : Grade::note, what, "slowed down: " + reason});
  }
  if (gpu.pcie_width && gpu.most_pcie_width && *gpu.pcie_width < *gpu.most_pcie_width) {
    checks.push_back(
        {Grade::note, what, format("PCIe x{} of x{}", *gpu.pcie_width, *gpu.most_pcie_width)});
  }
  if (gpu.persistent && !*gpu.persistent) {
    checks.push_back(
        {Grade::note, what, "no persistence mode: the first run pays for loading the driver"});
  }
}

}  // namespace

std::vector<Check> check_gpus(const std::vector<std::string>& devices) {
  std::string why_none;
  const std::vector<GpuStatus> gpus = list_gpus(why_none);
  std::vector<Check> checks;
  for (const GpuStatus& gpu : gpus) {
    if (!devices.empty() && std::ranges::find(devices, gpu.uuid) == devices.end()) continue;
    const std::string what = format("GPU {}", gpu.index);
    const std::size_t before = checks.size();
    check_foreign(gpu, what, checks);
    check_speed(gpu, what, checks);
    if (checks.size() > before) continue;
    std::string text = format("{} {}, {} of {} in use", gpu.name, gpu.uuid,
                              format_bytes(gpu.used_bytes), format_bytes(gpu.memory_bytes));
    if (gpu.sm_clock_hz && gpu.most_sm_clock_hz) {
      text += format(", SM clock {:.0f} of {:.0f} MHz", *gpu.sm_clock_hz / 1e6,
                     *gpu.most_sm_clock_hz / 1e6);
    }
    checks.push_back({Grade::fine, what, text});
  }
  if (gpus.empty()) checks.push_back({Grade::fine, "GPU", "none: " + why_none});
  return checks;
}

}  // namespace bench
