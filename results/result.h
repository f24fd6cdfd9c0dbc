#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/case.h"

namespace bench {

enum class Status {
  ok,
  incorrect,  // its output is wrong: no speed is kept
  failed,     // an error, in words
  crashed,    // the worker died
  timeout,    // the worker was silent past its deadline
  out_of_memory,
  skipped,  // not supported here, or skipped by the configuration
  invalid,  // measured, but in an unfit environment (thermal slowdown, cache hits, ...)
};

std::string_view to_string(Status status);
Status status_from(std::string_view text);  // throws Error

enum class Better { lower, higher };

// What a metric means. The one list (results/metrics.cpp) feeds the store, tables and exports.
struct MetricInfo {
  std::string_view name;  // ends in its unit: tpot_s, tokens_per_s
  std::string_view unit;  // "s", "1/s", "bytes", ""
  Better better;
  int version;  // of the definition; a comparison never mixes versions
  std::string_view definition;
};
const std::vector<MetricInfo>& metric_table();
const MetricInfo* find_metric(std::string_view name);  // nullptr: no such

struct Metric {
  std::string name;  // one of metric_table(), or an imported counter's own name
  double value;      // finite
  int version = 0;   // of the definition it was measured by; 0: the one in metric_table()
};

// One stage of a step, from the instrumented pass.
struct StageResult {
  std::string stage;   // append, plan, gather, cast, attention, combine, allreduce
  double seconds = 0;  // median over the instrumented steps; all layers together
  double bytes = 0;    // moved through memory in a step, by the variant's declaration
};

// Device state beside the samples; absent fields were not readable.
struct Telemetry {
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<double> energy_j;
  std::optional<double> sm_clock_hz;
  std::string throttle_reasons;  // comma separated words; empty: none
  std::string other_processes;   // on the device; empty: none
};

// One case, measured in one replicate (one fresh worker process or HTTP pass).
struct Measurement {
  Case what;
  std::string workload;
  std::int64_t replicate = 0;  // from 0
  Status status = Status::ok;
  bool negative_control = false;  // must end `incorrect`; any other end is a fault of the check
  std::string reason;             // of any status but ok; for ok, notes on how it was measured
  std::vector<double> samples_s;  // every sample, in the order taken
  std::vector<double> sample_clock_hz;  // SM clock of each; empty where unknown
  // Of each rank of a step that several share: rank after rank, each in the order of samples_s,
  // which are the slowest rank's. Empty: there is one rank.
  std::vector<double> rank_samples_s;
  std::vector<StageResult> stages;
  std::vector<Metric> metrics;
  Telemetry telemetry;
  std::string requests;       // records of a live server's requests (runners/http/record_codec.h)
  double started_unix_s = 0;  // when it began, seconds since 1970; 0: unknown
  double wall_s = 0;  // spent on it: checks, warm-up and samples (cases of a point take turns)

  [[nodiscard]] std::optional<double> metric(std::string_view name) const;
};

// Whether it keeps its run from being fine: it ended otherwise than ok (a negative control:
// otherwise than incorrect) and was not skipped.
bool failed(const Measurement& measurement);

}  // namespace bench
