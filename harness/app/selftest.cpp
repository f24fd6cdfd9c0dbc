#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

#include "harness/app/command.h"
#include "harness/app/interrupt.h"
#include "harness/format.h"
#include "harness/units.h"
#include "runners/http/clock.h"
#include "runners/http/scripted_server.h"
#include "runners/http/self_test.h"

namespace bench {
namespace {

void print_errors(const PacedErrors& e) {
  std::cout << format(
      "{:>5} streams, {:>6.0f} events/s: timestamp error p50 {}, p99 {} (server's own lateness p50 "
      "{}, p99 {}); TTFT error {}; TPOT error {:+.3f} %; {} CPU an event\n",
      e.streams, e.asked_events_per_s, format_seconds(Seconds(e.timestamp_p50_s)),
      format_seconds(Seconds(e.timestamp_p99_s)), format_seconds(Seconds(e.late_p50_s)),
      format_seconds(Seconds(e.late_p99_s)), format_seconds(Seconds(e.ttft_error_s)),
      e.tpot_error * 100, format_seconds(Seconds(e.cpu_per_event_s)));
}

// Plays the server alone, for other clients: it names a model, and answers every request with the
// paced stream of the self-test. Says when the first came, by the monotonic clock.
Exit serve() {
  const PacedScript script;
  const auto answer = [text = std::string(R"({"object":"list","data":[{"id":"glm-5"}]})")] {
    Script models;
    models.steps.push_back(
        {.bytes = http_head("200 OK", "application/json", static_cast<std::int64_t>(text.size())) +
                  text});
    return std::make_shared<const Script>(std::move(models));
  }();
  const auto stream =
      std::make_shared<const Script>(paced_stream(script.first, script.interval, script.tokens));
  std::atomic<Seconds> first_request{Seconds{0}};
  const ScriptedServer server([&](std::string_view head, auto) {
    if (head.starts_with("GET ")) return ScriptedAnswer{answer};
    if (first_request.load() == Seconds{0}) first_request = monotonic_now();
    return ScriptedAnswer{stream};
  });
  std::cout << server.url() << std::endl;
  bool said = false;
  while (!interrupted()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (said || first_request.load() == Seconds{0}) continue;
    std::cout << format("first request {:.6f}", first_request.load().count()) << std::endl;
    said = true;
  }
  return Exit::ok;
}

Exit selftest(const Arguments& arguments) {
  if (arguments.has("serve")) return serve();
  std::cout << "HTTP client against a scripted server on the loopback of this machine\n";
  // Before anything else has left memory that could be used again.
  for (const std::int64_t streams : {1024, 4096}) {
    std::cout << format("{:>5} streams at once: {:.1f} KiB each, the server's side included\n",
                        streams, measure_stream_bytes(streams) / 1024);
  }
  for (const std::int64_t streams : {1, 16}) {
    const ClientCeiling c = measure_ceiling(streams, 2'000'000, Seconds(10));
    std::cout << format(
        "{:>5} streams, as fast as the server writes: {:.0f} token events/s, {:.0f} "
        "a second of the client's CPU\n",
        c.streams, c.events_per_s, c.events_per_cpu_s);
  }
  for (const std::int64_t streams : {16, 64, 256, 1024})
    print_errors(measure_paced({.streams = streams}));
  // As many events a second as 1,024 streams have.
  print_errors(measure_paced({.streams = 4096, .interval = Seconds(0.040), .tokens = 150}));
  const ScheduleErrors s = measure_schedule(1000, Seconds(5));
  std::cout << format("open loop, {:.0f} requests/s asked: {:.2f} sent, late p50 {}, p99 {}\n",
                      s.asked_per_s, s.achieved_per_s, format_seconds(Seconds(s.late_p50_s)),
                      format_seconds(Seconds(s.late_p99_s)));
  return Exit::ok;
}

const Register<Command> kSelftestCommand{{
    .name = "selftest",
    .summary = "what the HTTP client can do here, and how far its times are off",
    .positionals = "",
    .flags = {{"serve", "", "only play the scripted server, for other clients; prints its URL"}},
    .example = "bench selftest",
    .run = selftest,
}};

}  // namespace
}  // namespace bench
