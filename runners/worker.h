#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "runners/runner.h"
#include "workloads/job.h"

namespace bench {

// What the parent does with what its workers find.
struct WorkerEvents {
  std::function<void(const Measurement&)> result;
  std::function<void(const Case&)> begin = [](const Case&) {};
  std::function<void(const Case&, const std::string& records)> requests = [](const Case&,
                                                                             const std::string&) {};
};

// Parent side: measures every case of the job in fresh worker processes, each started as
// `command`, and hands each finished case to `events.result`, exactly once a case. A worker that
// crashes, is killed, or is silent past the workload's deadline costs the case it was at; the
// others are measured by the next worker. Returns early when `stop` becomes true.
// With `hosts`, every process of the run measures the same job at the same time, and a worker lost
// on one costs the same case on all.
void measure_job(Job job, const std::vector<std::string>& command, const WorkerEvents& events,
                 const std::atomic<bool>& stop, Hosts* hosts = nullptr);

// Asks a fresh worker what its runner can say of each group of the job, in order, and how fast
// its devices copy. The parent itself never opens a device: a context there would sit on the GPU
// through the whole run.
struct Estimates {
  std::vector<DeviceFacts> devices;
  std::vector<std::string> exclusive;  // of devices_of_job() alone
  std::vector<Fact> environment{};
  std::vector<PointEstimate> points;
};
Estimates estimate_job(const Job& job, const std::vector<std::string>& command,
                       const Hosts* hosts = nullptr);

// Asks it what the job needs for itself (Runner::exclusive), sorted, without opening a device.
std::vector<std::string> devices_of_job(const Job& job, const std::vector<std::string>& command,
                                        const Hosts* hosts = nullptr);

// Child side, the hidden command `bench worker`: reads the job from standard input, measures, and
// says what it finds on descriptor 3, a JSON line each.
void serve_job();

}  // namespace bench
