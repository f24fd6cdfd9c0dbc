// Load, governor, memory and clock of the host.

#include <sys/timex.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "harness/app/checks.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr double kBusy = 0.2;  // of the processors, before a run begins

// Bytes in a line of /proc/meminfo; 0: there is none.
double meminfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  std::int64_t kilobytes = 0;
  while (file >> name >> kilobytes) {
    std::getline(file, unit);
    if (name == key + ":") return static_cast<double>(kilobytes) * 1024;
  }
  return 0;
}

Check check_load() {
  double load = 0;
  const auto processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  if (getloadavg(&load, 1) != 1) return {Grade::note, "load", "cannot be read"};
  const std::string text =
      format("{:.2f} over the last minute, {:.0f} processors", load, processors);
  if (load <= kBusy * processors) return {Grade::fine, "load", text};
  return {Grade::note, "load", text + ": something else is running"};
}

Check check_governor() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string governor;
  if (!(file >> governor)) return {Grade::fine, "governor", "none (the clock is not ours to set)"};
  if (governor == "performance") return {Grade::fine, "governor", governor};
  return {Grade::note, "governor", governor + ": the CPU's clock follows its load"};
}

Check check_memory() {
  const double available = meminfo("MemAvailable");
  const double total = meminfo("MemTotal");
  const double swapped = meminfo("SwapTotal") - meminfo("SwapFree");
  const std::string text =
      format("{} of {} available", format_bytes(available), format_bytes(total));
  if (swapped <= 0.01 * total) return {Grade::fine, "memory", text};
  return {Grade::note, "memory", format("{}, {} swapped out", text, format_bytes(swapped))};
}

Check check_clock() {
  timex state{};
  const int answer = adjtimex(&state);
  if (answer < 0) return {Grade::note, "clock", "its state cannot be read"};
  if (answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0) {
    return {Grade::fine, "clock", "synchronised"};
  }
  return {Grade::note, "clock", "not synchronised: times of runs may be wrong (ntp, chrony)"};
}

}  // namespace

std::vector<Check> check_host() {
  return {check_load(), check_governor(), check_memory(), check_clock()};
}

}  // namespace bench
