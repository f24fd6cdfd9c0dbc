// Measures the decode step of registered kernel variants on one device of this machine.

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <random>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/registry.h"
#include "harness/statistics.h"
#include "harness/suggest.h"
#include "kernels/check.h"
#include "kernels/variant.h"
#include "runners/runner.h"

namespace bench {
namespace {

const DeviceFactory& factory_of(DeviceChoice choice) {
  const DeviceFactory* cuda = Registry<DeviceFactory>::find("cuda");
  const bool has_gpu = cuda != nullptr && cuda->count() > 0;
  if (choice == DeviceChoice::cuda && !has_gpu) {
    fail(cuda == nullptr ? "device cuda: this build has no CUDA" : "device cuda: no GPU here");
  }
  return has_gpu && choice != DeviceChoice::cpu ? *cuda : *Registry<DeviceFactory>::find("cpu");
}

double pool_bytes(PoolFormat format, const StepShape& shape) {
  return static_cast<double>(row_bytes(format, shape) * shape.pool_tokens * shape.layers);
}

double step_bytes(const KernelVariant& variant, const StepShape& shape) {
  double bytes = 0;
  for (const StageTraffic& traffic : variant.traffic(shape)) bytes += traffic.bytes;
  return bytes * static_cast<double>(shape.layers);
}

// One variant of the point under measurement.
struct Contender {
  const Case* what;
  const KernelVariant* variant;
  std::string note;  // of its check
  std::vector<Stage> stages;
  std::unique_ptr<Executable> step;
  std::vector<std::optional<double>> clock_hz;  // of each step, warm-up included
  Telemetry telemetry;
};

// After each step: the latest reading, the reasons of all steps, the energy of all steps.
void fold(Telemetry& telemetry, const DeviceState& state, std::optional<double> energy_before) {
  telemetry.temperature_c = state.temperature_c;
  telemetry.power_w = state.power_w;
  telemetry.sm_clock_hz = state.sm_clock_hz;
  telemetry.other_processes = state.other_processes;
  if (state.energy_j && energy_before) {
    telemetry.energy_j = telemetry.energy_j.value_or(0) + *state.energy_j - *energy_before;
  }
  for (const std::string& reason : state.throttle_reasons) {
    if (telemetry.throttle_reasons.find(reason) != std::string::npos) continue;
    if (!telemetry.throttle_reasons.empty()) telemetry.throttle_reasons += ',';
    telemetry.throttle_reasons += reason;
  }
}

// The SM clock of each sample; empty when that of any is not known.
std::vector<double> sample_clocks(const Contender& contender, std::size_t samples) {
  std::vector<double> clocks;
  for (std::size_t i = contender.clock_hz.size() - samples; i < contender.clock_hz.size(); ++i) {
    if (!contender.clock_hz[i]) return {};
    clocks.push_back(*contender.clock_hz[i]);
  }
  return clocks;
}

std::string accuracy(const CheckResult& checked) {
  return format("output error {:.1e} of the kernel, {:.1e} of the format, over {} rows",
                checked.output_error, checked.quantisation_error, checked.rows_compared);
}

// Bytes that the variant declares for a stage of a step; a stage may move none worth declaring.
double declared_bytes(const KernelVariant& variant, const StepShape& shape, Stage stage) {
  double bytes = 0;
  for (const StageTraffic& traffic : variant.traffic(shape)) {
    if (traffic.stage == stage) bytes += traffic.bytes;
  }
  return bytes * static_cast<double>(shape.layers);
}

std::vector<StageResult> measure_stages(Contender& contender, const StepShape& shape) {
  constexpr int kPasses = 5;
  std::vector<std::vector<double>> times(contender.stages.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::vector<Seconds> stages = contender.step->run_stages();
    for (std::size_t i = 0; i < times.size(); ++i) times[i].push_back(stages.at(i).count());
  }
  std::vector<StageResult> results;
  for (std::size_t i = 0; i < times.size(); ++i) {
    results.push_back({.stage = to_string(contender.stages[i]),
                       .seconds = median(times[i]),
                       .bytes = declared_bytes(*contender.variant, shape, contender.stages[i])});
  }
  return results;
}

Measurement finished(const Contender& contender, const Samples& samples, const StepShape& shape) {
  const double step = median(samples.seconds);
  Measurement result{.what = *contender.what};
  result.reason = format("{}; {} samples after {} of warm-up, stopped by {}", contender.note,
                         samples.seconds.size(), samples.warm_up_count, samples.stopped_by);
  result.samples_s = samples.seconds;
  result.sample_clock_hz = sample_clocks(contender, samples.seconds.size());
  result.telemetry = contender.telemetry;
  if (contender.telemetry.throttle_reasons.find("_slowdown") != std::string::npos) {
    result.status = Status::invalid;
    result.reason = format("the device slowed down ({}); {}", contender.telemetry.throttle_reasons,
                           result.reason);
  }
  result.metrics = {{"tpot_s", step},
                    {"tokens_per_s", static_cast<double>(shape.new_tokens()) / step}};
  return result;
}

std::vector<Fact> facts_of(const DeviceInfo& info) {
  std::vector<Fact> facts{{"driver", info.driver}, {"runtime", info.runtime}};
  if (info.power_limit_w) {
    facts.push_back({"power_limit", format("{:.0f} W", *info.power_limit_w), FactRole::machine});
  }
  std::erase_if(facts, [](const Fact& fact) { return fact.value.empty(); });
  return facts;
}

class KernelRunner : public Runner {
 public:
  std::vector<std::string> exclusive(const Case& c) override {
    return {factory_of(c.parameters.device).lock_name(0)};
  }

  DeviceFacts device(const Case& c) override {
    Device& device = opened(c.parameters.device);
    const DeviceInfo& info = device.info();
    ceiling_ = device.copy_bandwidth();
    return {.name = info.name,
            .uuid = info.uuid,
            .kind = to_string(info.kind),
            .memory_bytes = static_cast<double>(info.memory_bytes),
            .copy_bandwidth_per_s = ceiling_,
            .facts = facts_of(info)};
  }

  PointEstimate estimate(const std::vector<Case>& point) override {
    const DeviceInfo& info = opened(point.front().parameters.device).info();
    const StepShape shape = step_shape(point.front().parameters);
    PointEstimate together;
    std::array<double, kPoolFormats> pools{};
    for (const Case& c : point) {
      check_spelling(c.variant);
      Estimate& estimate = together.cases.emplace_back();
      const KernelVariant* variant = find_variant(c, shape, estimate.unsupported);
      if (variant == nullptr) continue;
      const double pool = pool_bytes(variant->pool, shape);
      const double scratch = static_cast<double>(variant->scratch_bytes(shape));
      pools[static_cast<std::size_t>(variant->pool)] = pool;
      together.device_bytes += scratch;
      estimate = {.negative_control = variant->negative_control, .device_bytes = pool + scratch};
      if (ceiling_ > 0) estimate.seconds = step_bytes(*variant, shape) / ceiling_;
    }
    together.device_bytes += std::accumulate(pools.begin(), pools.end(), 0.0);
    together.device_bytes_free = static_cast<double>(info.memory_free_bytes);
    return together;
  }

  void measure(const Workload& workload, const std::vector<Case>& point, std::int64_t replicate,
               std::uint64_t seed, Sink& sink) override {
    const StepShape shape = step_shape(point.front().parameters);
    Device& device = opened(point.front().parameters.device);
    Problem problem(*pools_, shape, hash64(seed, static_cast<std::uint64_t>(replicate)));
    std::vector<Contender> contenders = admit(point, shape, sink);
    sink.progress("check");
    std::erase_if(contenders, [&](Contender& c) { return !passes_check(c, problem, sink); });
    for (Contender& c : contenders) {
      sink.begin(*c.what);
      Pipeline pipeline = c.variant->build(problem, device);
      for (const StageCall& call : pipeline) c.stages.push_back(call.stage);
      c.step = device.prepare(std::move(pipeline), shape);
    }
    std::mt19937_64 random(seed);
    const std::vector<Samples> samples =
        sample(workload.sampling, timed_steps(contenders, sink), random);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      sink.begin(*contenders[i].what);
      Measurement result = finished(contenders[i], samples[i], shape);
      result.stages = measure_stages(contenders[i], shape);
      sink.result(std::move(result));
    }
  }

 private:
  Device& opened(DeviceChoice choice) {
    if (!device_) {
      device_ = factory_of(choice).open(0);
      pools_.emplace(*device_);
    }
    return *device_;
  }

  // A variant that no device here has may be another machine's; one that is nearly another's name
  // is a slip of the pen.
  static void check_spelling(const std::string& name) {
    std::vector<std::string> known;
    for (const KernelVariant& variant : Registry<KernelVariant>::all()) {
      known.push_back(variant.name.substr(variant.name.find(':') + 1));
    }
    const std::string near = suggestion(name, known);
    if (std::ranges::count(known, name) == 0 && !near.empty()) {
      fail_usage(format("no variant '{}'{}", name, near));
    }
  }

  // nullptr, with the reason, when this device has no such variant or it cannot do the shape.
  const KernelVariant* find_variant(const Case& c, const StepShape& shape, std::string& why_not) {
    const std::string kind = to_string(device_->info().kind);
    const auto* variant = Registry<KernelVariant>::find(kind + ":" + c.variant);
    if (variant == nullptr) {
      why_not = format("no variant '{}' on {}", c.variant, kind);
    } else {
      why_not = variant->unsupported(shape, device_->info());
    }
    return why_not.empty() ? variant : nullptr;
  }

  std::vector<Contender> admit(const std::vector<Case>& point, const StepShape& shape, Sink& sink) {
    std::vector<Contender> admitted;
    for (const Case& c : point) {
      std::string why_not;
      const KernelVariant* variant = find_variant(c, shape, why_not);
      if (variant == nullptr) {
        sink.result({.what = c, .status = Status::skipped, .reason = why_not});
      } else {
        admitted.push_back({.what = &c, .variant = variant});
      }
    }
    return admitted;
  }

  // A variant whose output is wrong, and every negative control, ends here: it has no speed.
  bool passes_check(Contender& contender, Problem& problem, Sink& sink) {
    sink.begin(*contender.what);
    const CheckResult checked = check(*contender.variant, problem);
    contender.note = accuracy(checked);
    if (checked.correct && !contender.variant->negative_control) return true;
    Measurement result{.what = *contender.what};
    result.status = checked.correct ? Status::ok : Status::incorrect;
    result.reason = checked.correct ? contender.note : checked.reason;
    result.negative_control = contender.variant->negative_control;
    sink.result(std::move(result));
    return false;
  }

  std::vector<TimedStep> timed_steps(std::vector<Contender>& contenders, Sink& sink) {
    std::vector<TimedStep> steps;
    steps.reserve(contenders.size());
    for (Contender& c : contenders) {
      steps.emplace_back([this, &c, &sink] {
        sink.begin(*c.what);
        const std::optional<double> energy_before = device_->state().energy_j;
        const Seconds time = c.step->run();
        c.clock_hz.push_back(c.step->clock_hz());
        fold(c.telemetry, device_->state(), energy_before);
        return time;
      });
    }
    return steps;
  }

  double ceiling_ = 0;  // bytes per second; 0: not measured
  std::unique_ptr<Device> device_;
  std::optional<PoolCache> pools_;
};

const Register<RunnerKind> kRegistered{{
    .name = "kernel",
    .summary = "the decode step of each kernel variant, on this machine's GPU or CPU",
    .survey = "measuring the copy bandwidth",
    .make = [] { return std::make_unique<KernelRunner>(); },
}};

}  // namespace
}  // namespace bench
