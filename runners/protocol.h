#pragma once

#include <string>
#include <vector>

#include "runners/runner.h"
#include "runners/worker.h"
#include "workloads/job.h"

namespace bench {

// The lines between `bench run` and its workers: JSON, one message a line.
//   parent -> worker   the job, on standard input
//   worker -> parent   {"begin": group, case} | {"progress": "check"} | {"requests": base64}
//                      | {"result": Measurement, "lost"} | {"estimates": ...} | {"meet": base64},
//                      on descriptor 3
//   parent -> worker   a MeetingReply for each "meet", on standard input
enum class JobKind { measure, estimate, devices };

std::string encode(const Job& job, JobKind kind);
struct DecodedJob {
  Job job;
  JobKind kind = JobKind::measure;
};
DecodedJob decode_job(const std::string& line);

struct WorkerMessage {
  enum class Kind { begin, progress, requests, result, estimates, meet } kind = Kind::progress;
  std::string case_id;      // begin
  std::string phase;        // progress
  std::string requests;     // requests, as Measurement::requests
  Measurement measurement;  // result
  // result: an error ended the worker there, its own or that of another process (OthersLost).
  enum class Lost { no, here, elsewhere } lost = Lost::no;
  Estimates estimates;  // estimates
  std::string bytes;    // meet: what this process hands in (harness/hosts.h)
};
std::string encode(const WorkerMessage& message);
WorkerMessage decode_message(const std::string& line);

// What all processes of the run handed in.
struct MeetingReply {
  std::string lost;              // why it failed; empty: it did not
  std::vector<std::string> met;  // in order of their index
};
std::string encode(const MeetingReply& reply);
MeetingReply decode_reply(const std::string& line);

}  // namespace bench
