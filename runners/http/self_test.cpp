#include "runners/http/self_test.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/statistics.h"
#include "runners/http/load.h"
#include "runners/http/request_metrics.h"
#include "runners/http/scripted_server.h"

namespace bench {
namespace {

// The body of a request to the scripted server is its number.
std::int64_t number_of(std::string_view body) {
  return std::strtoll(std::string(body).c_str(), nullptr, 10);
}

LoadTarget target_on(const ScriptedServer& server, std::int64_t tokens) {
  LoadTarget target;
  target.endpoint.url = server.url();
  target.dialect = Registry<Dialect>::find("vllm");
  target.prompt_tokens = 8;
  target.output_tokens = tokens;
  target.body = [](std::int64_t serial) { return std::to_string(serial); };
  return target;
}

struct Pass {
  LoadOutcome outcome;
  std::vector<RequestRecord> records;
  std::int64_t token_events = 0;
};

Pass play(const LoadPlan& plan, const LoadTarget& target) {
  Pass pass;
  pass.outcome = run_load(plan, target, [&](RequestRecord record) {
    if (record.failure != Failure::none) {
      fail(format("self-test: a scripted request ended {}: {}", to_string(record.failure),
                  record.error));
    }
    pass.token_events +=
        std::ranges::count_if(record.events, [](const auto& e) { return e.tokens > 0; });
    pass.records.push_back(std::move(record));
  });
  return pass;
}

// The same bytes as the paced stream's, in a few large writes.
Script flood(std::int64_t tokens) {
  constexpr std::size_t kWrite = std::size_t{256} << 10;
  Script script;
  script.steps.emplace_back();
  for (const ScriptStep& step : paced_stream(Seconds(0), Seconds(0), tokens).steps) {
    if (script.steps.back().bytes.size() > kWrite) script.steps.emplace_back();
    script.steps.back().bytes += step.bytes;
  }
  return script;
}

// Times of the server's writes by request and step.
using Writes = std::map<std::pair<std::int64_t, std::int32_t>, Seconds>;

struct Differences {
  std::vector<double> timestamps;
  std::vector<double> ttft;
  std::vector<double> scripted_ttft;
  std::vector<double> tpot;
};

Differences compare(const Pass& pass, const Writes& writes, const PacedScript& script) {
  Differences d;
  for (const RequestRecord& record : pass.records) {
    std::int32_t step = 0;
    for (const StreamEvent& event : record.events) {
      if (event.tokens <= 0) continue;
      const auto written = writes.find({record.index, ++step});
      if (written == writes.end()) fail("self-test: the server did not log a write");
      const Seconds seen = event.time + pass.outcome.epoch;
      d.timestamps.push_back(std::abs((seen - written->second).count()));
    }
    d.ttft.push_back(ttft(record)->count());
    d.scripted_ttft.push_back(script.first.count());
    d.tpot.push_back(tpot(record)->count());
  }
  return d;
}

}  // namespace

ClientCeiling measure_ceiling(std::int64_t streams, std::int64_t events, Seconds most) {
  constexpr std::int64_t kTokens = 20000;
  const auto script = std::make_shared<const Script>(flood(kTokens));
  ScriptedServer server([&](auto, auto) { return ScriptedAnswer{script, -1}; });
  LoadPlan plan;
  plan.concurrency = streams;
  plan.requests = std::max(streams, events / kTokens);
  plan.duration = most;
  const Pass pass = play(plan, target_on(server, kTokens));
  ClientCeiling ceiling;
  ceiling.streams = streams;
  ceiling.events_per_s = static_cast<double>(pass.token_events) / pass.outcome.wall.count();
  ceiling.events_per_cpu_s = static_cast<double>(pass.token_events) / pass.outcome.cpu.count();
  return ceiling;
}

PacedErrors measure_paced(const PacedScript& script) {
  const auto steps =
      std::make_shared<const Script>(paced_stream(script.first, script.interval, script.tokens));
  ScriptedServer server([&](auto, std::string_view body) {
    return ScriptedAnswer{steps, number_of(body)};
  });
  LoadPlan plan;
  plan.concurrency = plan.requests = script.streams;
  // One interval more than a multiple of it: the streams' tokens are spread evenly over an
  // interval.
  plan.ramp = std::max(script.interval, Seconds(1e-3 * static_cast<double>(script.streams))) +
              script.interval;
  const Pass pass = play(plan, target_on(server, script.tokens));
  server.stop();
  Writes writes;
  std::vector<double> late;
  for (const ScriptedWrite& write : server.log()) {
    writes[{write.tag, write.step}] = write.written;
    late.push_back((write.written - write.due).count());
  }
  const Differences d = compare(pass, writes, script);
  PacedErrors errors;
  errors.streams = script.streams;
  errors.asked_events_per_s = static_cast<double>(script.streams) / script.interval.count();
  errors.events_per_s = static_cast<double>(pass.token_events) / pass.outcome.wall.count();
  errors.timestamp_p50_s = median(d.timestamps);
  errors.timestamp_p99_s = percentile(d.timestamps, 0.99);
  errors.late_p50_s = median(late);
  errors.late_p99_s = percentile(late, 0.99);
  errors.ttft_s = median(d.ttft);
  errors.ttft_error_s = std::abs(median(d.ttft) - median(d.scripted_ttft));
  errors.tpot_error = median(d.tpot) / script.interval.count() - 1;
  errors.cpu_per_event_s = pass.outcome.cpu.count() / static_cast<double>(pass.token_events);
  return errors;
}

double measure_stream_bytes(std::int64_t streams) {
  const auto resident = [] {
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
  };
  // All are in flight when the first ends.
  const auto script = std::make_shared<const Script>(paced_stream(Seconds(2), Seconds(0.5), 4));
  ScriptedServer server([&](auto, auto) { return ScriptedAnswer{script, -1}; });
  LoadPlan plan;
  plan.concurrency = plan.requests = streams;
  plan.ramp = Seconds(1.5);
  // Before the first of these measurements: what it leaves, the next may use again.
  static const double kBefore = resident();
  double most = 0;
  run_load(plan, target_on(server, 4), [&](const RequestRecord& record) {
    if (record.failure != Failure::none) fail("self-test: " + record.error);
    if (most == 0) most = resident();
  });
  return (most - kBefore) / static_cast<double>(streams);
}

ScheduleErrors measure_schedule(double rate_per_s, Seconds duration) {
  const auto script =
      std::make_shared<const Script>(paced_stream(Seconds(0.002), Seconds(0.001), 2));
  ScriptedServer server([&](auto, auto) { return ScriptedAnswer{script, -1}; });
  LoadPlan plan;
  plan.rate_per_s = rate_per_s;
  plan.arrival = Arrival::constant;
  plan.duration = duration;
  const Pass pass = play(plan, target_on(server, 2));
  std::vector<double> late;
  Seconds first = Seconds::max();
  Seconds last{0};
  for (const RequestRecord& record : pass.records) {
    late.push_back((record.sent - record.due).count());
    first = std::min(first, record.sent);
    last = std::max(last, record.sent);
  }
  ScheduleErrors errors;
  errors.asked_per_s = rate_per_s;
  errors.achieved_per_s = static_cast<double>(pass.records.size() - 1) / (last - first).count();
  errors.late_p50_s = median(late);
  errors.late_p99_s = percentile(late, 0.99);
  return errors;
}

}  // namespace bench
