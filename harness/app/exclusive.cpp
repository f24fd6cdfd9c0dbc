#include "harness/app/exclusive.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "harness/app/interrupt.h"
#include "harness/format.h"
#include "runners/runner.h"
#include "runners/worker.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

fs::path lock_folder() {
  if (const char* named = std::getenv("BENCH_LOCKS"); named != nullptr && *named != '\0') {
    return named;
  }
  return fs::is_directory("/run/lock") ? "/run/lock" : "/tmp";
}

// Unlike the host's name, the same in every container of it and on no other host.
std::string boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id.substr(0, 8);
}

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string lock_path(const std::string& device) {
  const std::string name = device == kHostCpu ? "cpu-" + boot() : device;
  return (lock_folder() / ("bench-" + name + ".lock")).string();
}

std::vector<std::string> devices_of(const Plan& plan, const std::vector<std::string>& worker,
                                    const Hosts* hosts) {
  std::map<std::string, Job> jobs;  // by runner
  for (const Workload& workload : plan.workloads) {
    for (const Point& point : workload.points) {
      if (!point.skip.empty()) continue;
      Job& job = jobs[workload.runner];
      job.workload.name = workload.name;
      job.workload.runner = workload.runner;
      job.groups.push_back({workload.case_of(point, workload.variants.front())});
    }
  }
  std::set<std::string> devices;
  for (const auto& [runner, job] : jobs) {
    for (std::string& device : devices_of_job(job, worker, hosts)) {
      devices.insert(std::move(device));
    }
  }
  if (hosts != nullptr && hosts->local_index() > 0) devices.erase(std::string(kHostCpu));
  return {devices.begin(), devices.end()};
}

DeviceLocks::DeviceLocks(std::vector<std::string> devices, const std::string& purpose) {
  std::ranges::sort(devices);  // in one order everywhere: no two wait for each other
  for (const std::string& device : devices) {
    locks_.emplace_back(lock_path(device), purpose, OnExec::inherit);
  }
}

Patience::Patience(Seconds wait) : until_(monotonic_s() + wait.count()) {}

bool Patience::again(const Error& error) {
  constexpr std::chrono::milliseconds kLook{500};
  if (monotonic_s() >= until_ || interrupted()) return false;
  if (!said_) std::cerr << error.what() << " (waiting)" << std::endl;
  said_ = true;
  std::this_thread::sleep_for(kLook);
  return true;
}

}  // namespace bench
