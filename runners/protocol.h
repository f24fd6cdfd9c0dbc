#pragma once

#include <string>

#include "runners/runner.h"
#include "runners/worker.h"
#include "workloads/job.h"

namespace bench {

// The lines between `bench run` and its workers: JSON, one message a line.
//   parent -> worker   the job, on standard input
//   worker -> parent   {"begin": group, case} | {"progress": "check"} | {"requests": base64}
//                      | {"result": Measurement} | {"estimates": ...}, on descriptor 3
enum class JobKind { measure, estimate, devices };

std::string encode(const Job& job, JobKind kind);
struct DecodedJob {
  Job job;
  JobKind kind = JobKind::measure;
};
DecodedJob decode_job(const std::string& line);

struct WorkerMessage {
  enum class Kind { begin, progress, requests, result, estimates } kind = Kind::progress;
  std::string case_id;      // begin
  std::string phase;        // progress
  std::string requests;     // requests, as Measurement::requests
  Measurement measurement;  // result
  Estimates estimates;      // estimates
};
std::string encode(const WorkerMessage& message);
WorkerMessage decode_message(const std::string& line);

}  // namespace bench
