#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/units.h"
#include "results/result.h"

namespace bench {

// What this client can do on this machine, measured against a scripted server on the loopback
// that shares it.
struct ClientCeiling {
  std::int64_t streams = 0;
  double events_per_s = 0;      // wall time, as fast as the server wrote
  double events_per_cpu_s = 0;  // of one core of the client
};
// As many events, or as many as begin within `most`.
ClientCeiling measure_ceiling(std::int64_t streams, std::int64_t events, Seconds most);

// Errors against the script: streams at a pace, starting spread over one interval.
struct PacedErrors {
  std::int64_t streams = 0;
  double asked_events_per_s = 0;
  double events_per_s = 0;
  double timestamp_p50_s = 0;  // |time of a token event - the server's clock before its write|
  double timestamp_p99_s = 0;
  double late_p50_s = 0;  // the server's own: write - script
  double late_p99_s = 0;
  double ttft_error_s = 0;  // |median TTFT - (median first write - request read)|
  double ttft_s = 0;
  double tpot_error = 0;  // median TPOT / scripted - 1
  double cpu_per_event_s = 0;
};
// Resident memory that a stream in flight costs, beyond its events; the client's and the scripted
// server's together. To be asked before all else, for fewer streams first.
double measure_stream_bytes(std::int64_t streams);

struct PacedScript {
  std::int64_t streams = 64;
  Seconds first{0.020};
  Seconds interval{0.010};
  std::int64_t tokens = 500;
};
PacedErrors measure_paced(const PacedScript& script);

// Lateness of an open loop: sent - due, and the rate really sent.
struct ScheduleErrors {
  double asked_per_s = 0;
  double achieved_per_s = 0;
  double late_p50_s = 0;
  double late_p99_s = 0;
};
ScheduleErrors measure_schedule(double rate_per_s, Seconds duration);

}  // namespace bench
