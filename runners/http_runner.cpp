// Measures a live server over HTTP: TPOT, TTFT and tokens/s right to the token, with no tokenizer.

#include <chrono>
#include <memory>
#include <set>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/registry.h"
#include "harness/units.h"
#include "kernels/random.h"
#include "runners/http/clock.h"
#include "runners/http/credentials.h"
#include "runners/http/pass.h"
#include "runners/http/record_codec.h"
#include "runners/http/record_writer.h"
#include "runners/runner.h"

namespace bench {
namespace {

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

class HttpRunner : public Runner {
 public:
  explicit HttpRunner(Hosts& hosts) : hosts_(hosts) {}

  // The clock that stamps the tokens is this host's.
  std::vector<std::string> exclusive(const Case& /*c*/) override { return {kHostCpu}; }

  PointEstimate estimate(const std::vector<Case>& point) override {
    PointEstimate estimates;
    for (const Case& c : point) {
      Estimate& estimate = estimates.cases.emplace_back();
      try {
        endpoint_of(c.parameters);
      } catch (const Error& error) {
        estimate.unsupported = error.what();
      }
    }
    return estimates;
  }

  std::vector<Fact> environment(const std::vector<std::vector<Case>>& points) override {
    std::set<std::string> asked;
    std::vector<Fact> facts;
    for (const std::vector<Case>& point : points) {
      for (const Case& c : point) {
        if (!asked.insert(c.parameters.endpoint).second) continue;
        const std::vector<Fact> more = facts_of_server(c.parameters);
        facts.insert(facts.end(), more.begin(), more.end());
      }
    }
    return facts;
  }

  void measure(const Workload& workload, const std::vector<Case>& point, std::int64_t replicate,
               std::uint64_t seed, Sink& sink) override {
    for (const Case& c : point) {
      sink.begin(c);
      sink.result(measure_one(workload, c, replicate, seed, sink));
    }
  }

 private:
  // None of a server that is not up yet: its cases will say so.
  static std::vector<Fact> facts_of_server(const Parameters& parameters) {
    try {
      HttpFetch fetch(endpoint_of(parameters));
      return server_facts(recognise_server(fetch, parameters.engine, parameters.served_model));
    } catch (const Error& error) {
      if (error.exit() == Exit::usage) throw;
      return {};
    }
  }

  Measurement measure_one(const Workload& workload, const Case& c, std::int64_t replicate,
                          std::uint64_t seed, Sink& sink) {
    Measurement measurement{.what = c, .workload = workload.name, .replicate = replicate};
    measurement.started_unix_s = unix_now();
    const Seconds begin = monotonic_now();
    // No two passes may send equal prompts: the second would find the first's in the cache.
    const std::uint64_t pass_seed = hash64(hash64(seed, static_cast<std::uint64_t>(replicate)),
                                           std::hash<std::string>{}(canonical(c)));
    sink.progress("recognise the server");
    const PreparedServer prepared = prepare(c.parameters, pass_seed);
    sink.progress("load");
    RecordWriter writer([&](std::string records) { sink.requests(std::move(records)); });
    PassFacts facts = run_pass(
        prepared, c.parameters, pass_seed,
        [&](const RequestRecord& record) { writer.add(encode(record)); }, hosts_);
    writer.finish();
    if (hosts_.index() > 0) return measurement;  // process 0 has it all
    sink.progress("self-test");
    facts.ceiling = measure_ceiling(1, 200'000, Seconds(0.3));
    judge(facts, measurement);
    measurement.metrics.push_back({"client_events_per_s", facts.ceiling->events_per_s});
    const std::string server = prepared.description();
    measurement.reason = measurement.reason.empty() ? server : measurement.reason + "; " + server;
    if (!prepared.endpoint.verify_tls) measurement.reason += "; TLS was not verified";
    if (facts.processes > 1) {
      measurement.reason += format("; load of {} processes, clocks within {}", facts.processes,
                                   format_seconds(facts.clock_uncertainty));
      measurement.metrics.push_back({"clock_uncertainty_s", facts.clock_uncertainty.count()});
    }
    measurement.wall_s = (monotonic_now() - begin).count();
    return measurement;
  }

  Hosts& hosts_;
};

const Register<RunnerKind> kHttpRunner{{
    .name = "http",
    .summary = "a live server over HTTP: TPOT and tokens/s at each concurrency and context",
    .survey = "asking the server what it is",
    .make = [](Hosts& hosts) { return std::make_unique<HttpRunner>(hosts); },
}};

}  // namespace
}  // namespace bench
