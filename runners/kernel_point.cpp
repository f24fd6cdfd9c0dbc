#include "runners/kernel_point.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "harness/format.h"
#include "harness/statistics.h"
#include "results/codec.h"

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

Telemetry reading(const DeviceState& state, const std::optional<double>& energy_before) {
  Telemetry one{.temperature_c = state.temperature_c,
                .power_w = state.power_w,
                .energy_j = {},
                .sm_clock_hz = state.sm_clock_hz,
                .throttle_reasons = format("{}", join(state.throttle_reasons, ",")),
                .other_processes = state.other_processes};
  if (energy_before && state.energy_j) one.energy_j = *state.energy_j - *energy_before;
  return one;
}

void add_reasons(std::string& reasons, std::string more) {
  while (!more.empty()) {
    const auto comma = more.find(',');
    add_reason(reasons, more.substr(0, comma));
    more = comma == std::string::npos ? std::string() : more.substr(comma + 1);
  }
}

// What each device said, into what all of them said: the hottest, the slowest clock, and power and
// energy together.
Telemetry together(const std::vector<Telemetry>& readings) {
  Telemetry all;
  for (const Telemetry& one : readings) {
    if (one.temperature_c) {
      all.temperature_c = std::max(all.temperature_c.value_or(0), *one.temperature_c);
    }
    if (one.power_w) all.power_w = all.power_w.value_or(0) + *one.power_w;
    if (one.energy_j) all.energy_j = all.energy_j.value_or(0) + *one.energy_j;
    if (one.sm_clock_hz) {
      all.sm_clock_hz = std::min(all.sm_clock_hz.value_or(*one.sm_clock_hz), *one.sm_clock_hz);
    }
    add_reasons(all.throttle_reasons, one.throttle_reasons);
    if (!one.other_processes.empty()) add_reason(all.other_processes, one.other_processes);
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
  add_reasons(telemetry.throttle_reasons, step.throttle_reasons);
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
  constexpr std::size_t kEach = 2;  // of a rank: its time, and its clock or NaN
  std::vector<double> own(kEach * ranks_.size());
  std::vector<Telemetry> readings(ranks_.size());
  team_.each([&](Rank& rank) {
    const auto at = static_cast<std::size_t>(rank.number - team_.first());
    const std::optional<double> energy = rank.device->state().energy_j;
    Executable& step = *on(rank).steps[number];
    own[kEach * at] = step.run().count();
    own[kEach * at + 1] = step.clock_hz().value_or(NAN);
    readings[at] = reading(rank.device->state(), energy);
  });
  fold(contender.telemetry, together(readings));
  const std::vector<double> all = gather(own);
  std::vector<double> times;
  for (std::size_t i = 0; i < all.size(); i += kEach) times.push_back(all[i]);
  const auto slowest = std::ranges::max_element(times);
  const double clock = all[kEach * static_cast<std::size_t>(slowest - times.begin()) + 1];
  contender.clock_hz.push_back(std::isnan(clock) ? std::nullopt : std::optional(clock));
  const Seconds time(*slowest);
  if (team_.size() > 1) contender.rank_s.push_back(std::move(times));
  return time;
}

void KernelPoint::gather_telemetry(Contender& contender) {
  if (hosts_.count() == 1) return;
  std::vector<Telemetry> all;
  for (const std::string& text : hosts_.exchange(to_json(contender.telemetry))) {
    all.push_back(telemetry_from_json(text, "another process"));
  }
  contender.telemetry = together(all);
}

void KernelPoint::measure_stages(Contender& contender, std::size_t number) {
  gather_telemetry(contender);
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
