#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/hosts.h"
#include "results/environment.h"
#include "results/result.h"
#include "workloads/workload.h"

namespace bench {

// What a runner can say of a case without measuring it.
struct Estimate {
  std::string unsupported;        // the reason it cannot be measured here; empty: it can
  bool negative_control = false;  // must end `incorrect`
  double device_bytes = 0;        // memory it needs on each device
  double seconds = 0;             // a step, predicted from its bytes; 0: unknown
};

// The same for the cases of a point, which are measured together.
struct PointEstimate {
  std::vector<Estimate> cases;   // in the order asked
  double device_bytes = 0;       // of all together; what they share counts once
  double device_bytes_free = 0;  // what a device has; 0: unknown
};

// A device that a runner measures on.
struct DeviceFacts {
  std::string name;  // "NVIDIA H200"
  std::string uuid;
  std::string kind;  // "cpu", "cuda"
  double memory_bytes = 0;
  double copy_bandwidth_per_s = 0;  // bytes read plus written; 0: no device
  std::vector<Fact> facts{};        // of the environment: "driver", "power_limit"
};

// The CPU of this host, among what a runner needs for itself.
inline constexpr const char* kHostCpu = "cpu";

// Where a worker's findings go, as they are made. Each call is a line to the parent process, so a
// later crash cannot take it back.
class Sink {
 public:
  virtual ~Sink() = default;
  // What a crash from here on costs: a case of measure()'s `point` itself, not a copy.
  virtual void begin(const Case& c) = 0;
  virtual void progress(const std::string& phase) = 0;  // "check", "warm up": a sign of life
  // Records of requests of the case begun last, kept even if it is never done; those of
  // result() come after them.
  virtual void requests(std::string records) = 0;
  virtual void result(Measurement measurement) = 0;  // the case is done
};

// Measures the cases of one workload, one replicate, in this (fresh) process.
class Runner {
 public:
  virtual ~Runner() = default;

  // What `c` must have for itself while it is measured: UUIDs of GPUs, kHostCpu. Opens no device.
  virtual std::vector<std::string> exclusive([[maybe_unused]] const Case& c) { return {}; }

  // The devices of this process that the groups of a job would run on, each with its ceiling
  // measured. Throws Error when they are not fit to be measured.
  virtual std::vector<DeviceFacts> devices(
      [[maybe_unused]] const std::vector<std::vector<Case>>& groups) {
    return {};
  }

  // What of the environment only the runner can tell: of the servers that these cases ask.
  virtual std::vector<Fact> environment(
      [[maybe_unused]] const std::vector<std::vector<Case>>& points) {
    return {};
  }

  virtual PointEstimate estimate(const std::vector<Case>& point) = 0;

  // Cases that differ in the variant only. They are interleaved, and each gets exactly one
  // sink.result(). An exception costs the case begun last and ends this process; the others are
  // measured by the next.
  virtual void measure(const Workload& workload, const std::vector<Case>& point,
                       std::int64_t replicate, std::uint64_t seed, Sink& sink) = 0;
};

struct RunnerKind {
  std::string name;
  std::string summary;
  std::string survey{};  // what it does before the plan is known: "measuring the copy bandwidth"
  std::function<std::unique_ptr<Runner>(Hosts&)> make;  // the hosts outlive it
  [[nodiscard]] std::string key() const { return name; }
};

}  // namespace bench
