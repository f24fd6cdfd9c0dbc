#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/environment.h"
#include "results/result.h"
#include "workloads/workload.h"

namespace bench {

enum class RunStatus { running, interrupted, complete };
std::string_view to_string(RunStatus status);
RunStatus run_status_from(std::string_view text);  // throws Error

// What a run is called and when it was.
struct RunInfo {
  std::int64_t number = 0;  // in one store; 0: not stored yet
  std::string id;           // 32 hex digits, unique on every machine
  std::string name;         // of the configuration
  RunStatus status = RunStatus::running;
  double started_unix_s = 0;
  std::optional<double> ended_unix_s;
  std::string host;
  std::string tag;
  std::string notes;
  std::string argv;         // as typed; the store masks secrets
  std::string plan_source;  // the configuration after --set, ${VAR} not expanded
  std::string fingerprint;  // of the facts of role `machine`
};

// A device that the run measured on.
struct DeviceRecord {
  std::string kind;  // cpu, cuda
  int ordinal = 0;
  std::string name;
  std::string uuid;                        // empty on a CPU
  std::optional<double> copy_bytes_per_s;  // the ceiling, as measured in this run
};

// One line of the manifest: what the run set out to measure.
struct PlannedCase {
  Case what;
  std::string workload;
  std::vector<std::string> axes;  // parameter names
  std::string label;              // the axes at this point: "context 4k, concurrency 8"
  bool is_baseline = false;       // the "before" of its workload
  std::int64_t replicates = 1;
  std::string skip;  // why it was left out; empty: measured
};

// A run with all that belongs to it.
struct RunRecord {
  RunInfo info;
  std::vector<Fact> environment;
  std::vector<DeviceRecord> devices;
  std::vector<PlannedCase> plan;          // in the order of the configuration
  std::vector<Measurement> measurements;  // in the order of the plan, then by replicate
};

// The manifest of a configuration: every variant of every point, the skipped ones included.
std::vector<PlannedCase> manifest(const Plan& plan);

std::string new_run_id();  // 128 random bits in hex
double unix_now();         // seconds since 1970

}  // namespace bench
