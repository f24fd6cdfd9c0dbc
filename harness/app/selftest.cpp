#include <iostream>

#include "harness/app/command.h"
#include "harness/format.h"
#include "harness/units.h"
#include "runners/http/self_test.h"

namespace bench {
namespace {

void print(const PacedErrors& e) {
  std::cout << format(
      "{:>5} streams, {:>6.0f} events/s: timestamp error p50 {}, p99 {} (server's own lateness p50 "
      "{}, p99 {}); TTFT error {}; TPOT error {}; {} CPU an event\n",
      e.streams, e.asked_events_per_s, format_seconds(Seconds(e.timestamp_p50_s)),
      format_seconds(Seconds(e.timestamp_p99_s)), format_seconds(Seconds(e.late_p50_s)),
      format_seconds(Seconds(e.late_p99_s)), format_seconds(Seconds(e.ttft_error_s)),
      format_percent(e.tpot_error), format_seconds(Seconds(e.cpu_per_event_s)));
}

Exit selftest(const Arguments& /*arguments*/) {
  std::cout << "HTTP client against a scripted server on the loopback of this machine\n";
  for (const std::int64_t streams : {1, 16}) {
    const ClientCeiling c = measure_ceiling(streams, 2'000'000);
    std::cout << format(
        "{:>5} streams, as fast as the server writes: {:.0f} token events/s, {:.0f} "
        "a second of the client's CPU\n",
        c.streams, c.events_per_s, c.events_per_cpu_s);
  }
  for (const std::int64_t streams : {16, 64, 256, 1024}) print(measure_paced({.streams = streams}));
  const ScheduleErrors s = measure_schedule(1000, Seconds(5));
  std::cout << format("open loop, {:.0f} requests/s asked: {:.2f} sent, late p50 {}, p99 {}\n",
                      s.asked_per_s, s.achieved_per_s, format_seconds(Seconds(s.late_p50_s)),
                      format_seconds(Seconds(s.late_p99_s)));
  return Exit::ok;
}

const Register<Command> kRegistered{{
    .name = "selftest",
    .summary = "what the HTTP client can do here, and how far its times are off",
    .positionals = "",
    .example = "bench selftest",
    .run = selftest,
}};

}  // namespace
}  // namespace bench
