#pragma once

#include <iosfwd>

#include "results/json.h"
#include "results/run.h"

namespace bench {

// The form of an exported run. A reader of version N reads every version up to N; members that a
// later one adds are ignored by an earlier reader, and a change it could misread is a new version.
inline constexpr int kExportVersion = 1;

// One JSON object, a line for each case and measurement:
//   schema_version   kExportVersion
//   run              id, name, status, started_unix_s, ended_unix_s, host, tag, notes, argv,
//                    plan_source, fingerprint
//   environment      [{name, value, role}]
//   devices          [{kind, ordinal, name, uuid, copy_bytes_per_s}]
//   metrics          [{name, version, unit, better, definition}] of the metrics that occur
//   plan             [{case: {id, runner, variant, parameters}, workload, axes, label,
//                      is_baseline, replicates, skip}]
//   measurements     [{case: id, workload, replicate, status, reason, started_unix_s, wall_s,
//                      negative_control, samples_s, sample_clock_hz, requests (base64), stages
//                      [{stage, seconds, bytes}], metrics [{name, value, version}], telemetry}]
void export_run(std::ostream& out, const RunRecord& run);

// The run of such an object. Throws Error (exit 2) that names the place, or the version it needs.
RunRecord import_run(const Json& json);

}  // namespace bench
