// A runner that does what its script says and measures nothing: it tests bench itself, exactly
// and in no time (compare fio's null engine).

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <random>

#include "harness/error.h"
#include "harness/registry.h"
#include "harness/statistics.h"
#include "runners/runner.h"
#include "runners/script.h"

namespace bench {
namespace {

// Does what the words that end a worker say. Returns for all others.
void perish(const std::string& word) {
  if (word == "crash") std::abort();
  if (word == "kill") raise(SIGKILL);
  if (word == "exit") _exit(1);
  while (word == "hang") pause();
  if (word == "oom") throw OutOfMemory("scripted: out of memory");
  if (word == "fail") fail("scripted failure");
}

std::vector<StageResult> stages_of(const ScriptOutcome& outcome, const Parameters& parameters) {
  std::vector<StageResult> stages;
  for (const ScriptTerm& term : outcome.terms) {
    if (term.stage.empty()) continue;
    auto it = std::ranges::find(stages, term.stage, &StageResult::stage);
    if (it == stages.end()) it = stages.insert(stages.end(), {.stage = term.stage});
    it->seconds += term_time(term, parameters).count();
  }
  return stages;
}

TimedStep scripted_step(const ScriptOutcome& outcome, const Case& c, std::uint64_t seed) {
  Seconds time{0};
  for (const ScriptTerm& term : outcome.terms) time += term_time(term, c.parameters);
  std::mt19937_64 random(seed ^ std::hash<std::string>{}(case_id(c)));
  return [time, noise = outcome.noise, random]() mutable {
    return time * (1 + noise * std::normal_distribution<double>()(random));
  };
}

class FakeRunner : public Runner {
 public:
  // As if on the device that is named; on none where it is not.
  std::vector<std::string> exclusive(const Case& c) override {
    if (c.parameters.device == DeviceChoice::cpu) return {kHostCpu};
    if (c.parameters.device == DeviceChoice::cuda) return {"GPU-fake"};
    return {};
  }

  PointEstimate estimate(const std::vector<Case>& point) override {
    PointEstimate estimates;
    for (const Case& c : point) {
      const ScriptOutcome outcome = script_outcome(c.parameters.script, c.variant, 0);
      Estimate& estimate = estimates.cases.emplace_back();
      estimate.negative_control = outcome.word == "incorrect";
      for (const ScriptTerm& term : outcome.terms) {
        estimate.seconds += term_time(term, c.parameters).count();
      }
    }
    return estimates;
  }

  void measure(const Workload& workload, const std::vector<Case>& point, std::int64_t replicate,
               std::uint64_t seed, Sink& sink) override {
    for (const Case& c : point) {
      sink.begin(c);
      sink.result(measure_one(workload, c, replicate, seed));
    }
  }

 private:
  static Measurement measure_one(const Workload& workload, const Case& c, std::int64_t replicate,
                                 std::uint64_t seed) {
    const ScriptOutcome outcome = script_outcome(c.parameters.script, c.variant, replicate);
    perish(outcome.word);
    Measurement result{.what = c};
    if (outcome.word == "incorrect" || outcome.word == "invalid") {
      result.status = outcome.word == "invalid" ? Status::invalid : Status::incorrect;
      result.reason = "scripted";
      return result;
    }
    std::mt19937_64 random(seed);
    Sampling rule = workload.sampling;
    rule.max_warm_up = Seconds(0);
    result.samples_s = sample(rule, {scripted_step(outcome, c, seed)}, random).front().seconds;
    result.stages = stages_of(outcome, c.parameters);
    const double step = median(result.samples_s);
    result.metrics = {{"tpot_s", step},
                      {"tokens_per_s", static_cast<double>(c.parameters.concurrency) / step}};
    return result;
  }
};

const Register<RunnerKind> kFakeRunner{{
    .name = "fake",
    .summary = "does what its script says; for tests of bench itself",
    .make = [](Hosts&) { return std::make_unique<FakeRunner>(); },
}};

}  // namespace
}  // namespace bench
