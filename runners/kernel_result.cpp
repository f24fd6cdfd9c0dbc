#include "runners/kernel_result.h"

#include <algorithm>
#include <cstdlib>

#include "harness/format.h"
#include "harness/statistics.h"

namespace bench {
namespace {

// The SM clock of each sample; empty when that of any is not known.
std::vector<double> sample_clocks(const Contender& contender, std::size_t samples) {
  std::vector<double> clocks;
  for (std::size_t i = contender.clock_hz.size() - samples; i < contender.clock_hz.size(); ++i) {
    if (!contender.clock_hz[i]) return {};
    clocks.push_back(*contender.clock_hz[i]);
  }
  return clocks;
}

// [rank][sample], rank after rank; empty where there is one rank.
std::vector<double> rank_samples(const Contender& contender, std::size_t samples) {
  const auto& steps = contender.rank_s;
  if (steps.size() < samples || samples == 0) return {};
  std::vector<double> values;
  for (std::size_t rank = 0; rank < steps.back().size(); ++rank) {
    for (std::size_t i = steps.size() - samples; i < steps.size(); ++i) {
      values.push_back(steps[i][rank]);
    }
  }
  return values;
}

// Median over the samples of (slowest - fastest rank) / slowest.
double skew(const Contender& contender, std::size_t samples) {
  std::vector<double> shares;
  for (std::size_t i = contender.rank_s.size() - samples; i < contender.rank_s.size(); ++i) {
    const auto [fastest, slowest] = std::ranges::minmax(contender.rank_s[i]);
    shares.push_back((slowest - fastest) / slowest);
  }
  return median(shares);
}

// By the definitions of nccl-tests (doc/PERFORMANCE.md): algbw = size / time, busbw = algbw x
// 2 (n - 1) / n.
void add_allreduce(const Parameters& p, const RankFacts& ranks, Measurement& result) {
  const auto stage = std::ranges::find(result.stages, "allreduce", &StageResult::stage);
  if (stage == result.stages.end()) return;
  result.metrics.push_back({"allreduce_share", stage->seconds / *result.metric("tpot_s")});
  if (ranks.message_bytes == 0 || stage->seconds <= 0) return;
  const auto calls = static_cast<double>(p.layers * p.allreduce_per_layer);
  const double seconds = stage->seconds / calls;
  const double algorithm = ranks.message_bytes / seconds;
  const double bus = algorithm * 2 * (ranks.count - 1) / ranks.count;
  result.metrics.push_back({"allreduce_s", seconds});
  result.metrics.push_back({"allreduce_bytes", ranks.message_bytes});
  result.metrics.push_back({"allreduce_algbw_bytes_per_s", algorithm});
  result.metrics.push_back({"allreduce_busbw_bytes_per_s", bus});
  if (ranks.link_bytes_per_s > 0) {
    result.metrics.push_back({"allreduce_link_share", bus / ranks.link_bytes_per_s});
  }
}

void add_ranks(const Contender& contender, const StepShape& shape, const RankFacts& ranks,
               Measurement& result) {
  const std::size_t samples = result.samples_s.size();
  result.rank_samples_s = rank_samples(contender, samples);
  const Parameters& p = result.what.parameters;
  const int requests_of = p.parallel == Parallel::replica ? ranks.count : 1;
  const double tokens =
      static_cast<double>(shape.new_tokens() * requests_of) / *result.metric("tpot_s");
  result.metrics.push_back({"ranks", static_cast<double>(ranks.count)});
  result.metrics.push_back({"rank_skew", skew(contender, samples)});
  result.metrics.push_back({"output_tokens_per_s", tokens});
  // A model needs all its tensor ranks, also those that are not here.
  const bool tensor = p.parallel == Parallel::tensor;
  const auto gpus = static_cast<double>(tensor ? p.tensor_parallel : ranks.count);
  result.metrics.push_back({"output_tokens_per_s_per_gpu", tokens / gpus});
  result.metrics.push_back({"set_up_s", ranks.set_up.count()});
  add_allreduce(p, ranks, result);
}

// "ranks 2 of 8": how much of the step that the case describes was there.
std::string ranks_note(const Parameters& p, const StepShape& shape, const RankFacts& ranks) {
  if (p.parallel == Parallel::tensor) {
    if (p.tensor_parallel == 1) return {};
    return format("; ranks {} of {}{}", ranks.count, p.tensor_parallel,
                  ranks.count == 1 ? ", no all-reduce" : "");
  }
  if (ranks.count == 1) return {};
  if (p.parallel == Parallel::replica) return format("; {} replicas", ranks.count);
  return format("; {} ranks with {} tokens of each request", ranks.count, shape.context.front());
}

}  // namespace

Measurement finished(const Contender& contender, const Samples& samples, const StepShape& shape,
                     const RankFacts& ranks) {
  Measurement result{.what = *contender.what};
  result.stages = contender.stage_results;
  if (samples.seconds.empty()) return result;  // another process of the run has them
  const double step = median(samples.seconds);
  result.reason = format("{}; {} samples after {} of warm-up, stopped by {}", contender.note,
                         samples.seconds.size(), samples.warm_up_count, samples.stopped_by);
  result.reason += ranks_note(result.what.parameters, shape, ranks);
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
  if (ranks.others_cpu_share) {
    result.metrics.push_back({"others_cpu_share", *ranks.others_cpu_share});
  }
  if (ranks.count > 1) add_ranks(contender, shape, ranks, result);
  return result;
}

std::string accuracy(const CheckResult& checked) {
  return format("output error {:.1e} of the kernel, {:.1e} of the format, over {} rows",
                checked.output_error, checked.quantisation_error, checked.rows_compared);
}

std::vector<DeviceFacts> device_facts(std::span<const DeviceInfo> infos,
                                      std::span<const double> copy_bytes_per_s,
                                      const std::vector<LinkFact>& links) {
  std::vector<DeviceFacts> all;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const DeviceInfo& info = infos[i];
    DeviceFacts& device = all.emplace_back();
    device = {.name = info.name,
              .uuid = info.uuid,
              .kind = to_string(info.kind),
              .memory_bytes = static_cast<double>(info.memory_bytes),
              .copy_bandwidth_per_s = copy_bytes_per_s[i],
              .facts = {{"driver", info.driver}, {"runtime", info.runtime}}};
    if (info.power_limit_w) {
      device.facts.push_back(
          {"power_limit", format("{:.0f} W", *info.power_limit_w), FactRole::machine});
    }
    std::erase_if(device.facts, [](const Fact& fact) { return fact.value.empty(); });
  }
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && infos.front().kind == DeviceKind::cuda) {
    all.front().facts.push_back({"visible", visible});
  }
  for (const LinkFact& link : links) {
    const FactRole role = link.machine ? FactRole::machine : FactRole::software;
    all.front().facts.push_back({link.name, link.value, role});
  }
  return all;
}

}  // namespace bench
