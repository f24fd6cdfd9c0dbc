#include "runners/kernel_point.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "harness/format.h"
#include "harness/statistics.h"

namespace bench {
namespace {

constexpr int kStagePasses = 5;

// Bytes that the variant declares for a stage of a step; a stage may move none worth declaring.
double declared_bytes(const KernelVariant& variant, const StepShape& shape, Stage stage) {
  double bytes = 0;
  for (const StageTraffic& traffic : variant.traffic(shape)) {
    if (traffic.stage == stage) bytes += traffic.bytes;
  }
  return bytes * static_cast<double>(shape.layers);
}

void add_reason(std::string& reasons, const std::string& reason) {
  if (reasons.find(reason) != std::string::npos) return;
  if (!reasons.empty()) reasons += ',';
  reasons += reason;
}

// What one device said after a step, into what all of them said: the hottest, the slowest clock,
// and power and energy together.
struct Reading {
  DeviceState state;
  std::optional<double> energy_j;  // of the step
};
Telemetry together(const std::vector<Reading>& readings) {
  Telemetry all;
  for (const auto& [state, energy] : readings) {
    if (state.temperature_c) {
      all.temperature_c = std::max(all.temperature_c.value_or(0), *state.temperature_c);
    }
    if (state.power_w) all.power_w = all.power_w.value_or(0) + *state.power_w;
    if (energy) all.energy_j = all.energy_j.value_or(0) + *energy;
    if (state.sm_clock_hz) {
      all.sm_clock_hz = std::min(all.sm_clock_hz.value_or(*state.sm_clock_hz), *state.sm_clock_hz);
    }
    for (const std::string& reason : state.throttle_reasons) {
      add_reason(all.throttle_reasons, reason);
    }
    if (!state.other_processes.empty()) add_reason(all.other_processes, state.other_processes);
  }
  return all;
}

// After each step: the latest reading, the reasons of all steps, the energy of all steps.
void fold(Telemetry& telemetry, const Telemetry& step) {
  const std::string reasons = telemetry.throttle_reasons;
  const std::optional<double> energy = telemetry.energy_j;
  telemetry = step;
  if (step.energy_j) telemetry.energy_j = energy.value_or(0) + *step.energy_j;
  telemetry.throttle_reasons = reasons;
  std::string rest = step.throttle_reasons;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    add_reason(telemetry.throttle_reasons, rest.substr(0, comma));
    rest = comma == std::string::npos ? std::string() : rest.substr(comma + 1);
  }
}

}  // namespace

std::string pack(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

std::vector<double> unpack_doubles(const std::string& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

KernelPoint::KernelPoint(RankTeam& team, Hosts& hosts, const Parameters& parameters,
                         std::uint64_t seed)
    : team_(team),
      hosts_(hosts),
      mode_(parameters.parallel),
      shape_(step_shape(parameters, team.size())),
      ranks_(static_cast<std::size_t>(team.local())) {
  team_.each([&, this](Rank& rank) {
    OnRank& own = on(rank);
    own.problem = std::make_unique<Problem>(
        *rank.pools, shape_, seed, Part{.mode = mode_, .rank = rank.number, .ranks = team_.size()});
    own.together = {.communicator = rank.communicator.get(),
                    .hidden = parameters.hidden,
                    .allreduce_per_layer = parameters.allreduce_per_layer};
  });
}

KernelPoint::OnRank& KernelPoint::on(const Rank& rank) {
  return ranks_[static_cast<std::size_t>(rank.number - team_.first())];
}

std::vector<double> KernelPoint::gather(const std::vector<double>& own) {
  if (hosts_.count() == 1) return own;
  std::vector<double> all;
  for (const std::string& bytes : hosts_.exchange(pack(own))) {
    for (const double value : unpack_doubles(bytes)) all.push_back(value);
  }
  return all;
}

CheckResult KernelPoint::check(const KernelVariant& variant) {
  std::vector<CheckResult> results(ranks_.size());
  std::vector<std::string> reasons;
  team_.each([&](Rank& rank) {
    OnRank& own = on(rank);
    CheckResult& result = results[static_cast<std::size_t>(rank.number - team_.first())];
    result = bench::check(variant, *own.problem, own.together);
    if (!result.correct && team_.size() > 1) {
      result.reason = format("rank {}: {}", rank.number, result.reason);
    }
  });
  CheckResult worst{.correct = true};
  for (const CheckResult& result : results) {
    worst.correct = worst.correct && result.correct;
    if (worst.reason.empty()) worst.reason = result.reason;
    worst.output_error = std::max(worst.output_error, result.output_error);
    worst.lse_error = std::max(worst.lse_error, result.lse_error);
    worst.quantisation_error = std::max(worst.quantisation_error, result.quantisation_error);
    worst.rows_compared += result.rows_compared;
  }
  if (hosts_.count() == 1) return worst;
  for (const std::string& reason : hosts_.exchange(worst.reason)) {
    if (worst.reason.empty()) worst.reason = reason;
  }
  worst.correct = worst.reason.empty();
  return worst;
}

void KernelPoint::prepare(Contender& contender) {
  team_.each([&](Rank& rank) {
    OnRank& own = on(rank);
    Step step = build_step(*contender.variant, *own.problem, own.together);
    if (rank.number == team_.first()) {
      for (const StageCall& call : step.pipeline) contender.stages.push_back(call.stage);
    }
    own.steps.push_back(
        rank.device->prepare(std::move(step.pipeline), shape_, rank.communicator.get()));
  });
}

Seconds KernelPoint::run(Contender& contender, std::size_t number) {
  std::vector<double> times(ranks_.size());
  std::vector<std::optional<double>> clocks(ranks_.size());
  std::vector<Reading> readings(ranks_.size());
  team_.each([&](Rank& rank) {
    const auto at = static_cast<std::size_t>(rank.number - team_.first());
    const std::optional<double> energy = rank.device->state().energy_j;
    Executable& step = *on(rank).steps[number];
    times[at] = step.run().count();
    clocks[at] = step.clock_hz();
    readings[at].state = rank.device->state();
    const std::optional<double>& after = readings[at].state.energy_j;
    if (energy && after) readings[at].energy_j = *after - *energy;
  });
  fold(contender.telemetry, together(readings));
  const auto slowest = std::ranges::max_element(times);
  contender.clock_hz.push_back(clocks[static_cast<std::size_t>(slowest - times.begin())]);
  if (team_.size() == 1) return Seconds(*slowest);
  contender.rank_s.push_back(gather(times));
  return Seconds(*std::ranges::max_element(contender.rank_s.back()));
}

void KernelPoint::measure_stages(Contender& contender, std::size_t number) {
  const std::size_t count = contender.stages.size();
  std::vector<std::vector<double>> times(count);  // [stage][pass] of the slowest rank
  for (int pass = 0; pass < kStagePasses; ++pass) {
    std::vector<double> own(ranks_.size() * count);
    team_.each([&](Rank& rank) {
      const std::vector<Seconds> stages = on(rank).steps[number]->run_stages();
      const auto at = static_cast<std::size_t>(rank.number - team_.first()) * count;
      for (std::size_t i = 0; i < count; ++i) own[at + i] = stages.at(i).count();
    });
    const std::vector<double> all = gather(own);
    for (std::size_t i = 0; i < count; ++i) {
      double slowest = 0;
      for (std::size_t r = i; r < all.size(); r += count) slowest = std::max(slowest, all[r]);
      times[i].push_back(slowest);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Stage stage = contender.stages[i];
    contender.stage_results.push_back({.stage = to_string(stage),
                                       .seconds = median(times[i]),
                                       .bytes = declared_bytes(*contender.variant, shape_, stage)});
  }
}

double KernelPoint::message_bytes() const {
  const Part part{.mode = mode_, .rank = team_.first(), .ranks = team_.size()};
  return ranks_.front().together.message_bytes(shape_, part);
}

std::vector<Samples> sample_together(const Sampling& rule, const std::vector<TimedStep>& steps,
                                     std::mt19937_64& random, Hosts& hosts) {
  if (hosts.count() == 1) return sample(rule, steps, random);
  constexpr const char* kEnd = "end";
  if (hosts.index() > 0) {
    while (true) {
      const std::string next = hosts.exchange({}).front();
      if (next == kEnd) return std::vector<Samples>(steps.size());
      steps.at(std::stoull(next))();
    }
  }
  std::vector<TimedStep> leading;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    leading.emplace_back([&, i] {
      hosts.exchange(format("{}", i));
      return steps[i]();
    });
  }
  std::vector<Samples> samples = sample(rule, leading, random);
  hosts.exchange(kEnd);
  return samples;
}

}  // namespace bench
