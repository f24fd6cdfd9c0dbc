// Measures the decode step of registered kernel variants on the devices of this machine, and
// through the other processes of the run on those of other machines.

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <optional>
#include <random>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/registry.h"
#include "harness/suggest.h"
#include "runners/cpu_watch.h"
#include "runners/kernel_point.h"
#include "runners/kernel_result.h"
#include "runners/placement.h"

namespace bench {
namespace {

double pool_bytes(PoolFormat format, const StepShape& shape) {
  return static_cast<double>(row_bytes(format, shape) * shape.pool_tokens * shape.layers);
}

double step_bytes(const KernelVariant& variant, const StepShape& shape) {
  double bytes = 0;
  for (const StageTraffic& traffic : variant.traffic(shape)) bytes += traffic.bytes;
  return bytes * static_cast<double>(shape.layers);
}

class KernelRunner : public Runner {
 public:
  explicit KernelRunner(Hosts& hosts) : hosts_(hosts), alone_(hosts) {}

  std::vector<std::string> exclusive(const Case& c) override {
    const RankPlacement placement = place(c.parameters, hosts_);
    std::vector<std::string> names;
    if (!placement.why_not.empty()) return names;
    for (const int ordinal : placement.ordinals) {
      names.push_back(placement.factory->lock_name(ordinal));
    }
    return names;
  }

  std::vector<DeviceFacts> devices(const std::vector<std::vector<Case>>& groups) override {
    const Parameters& p = widest(groups);
    const RankPlacement placement = place(p, hosts_);
    open(placement, alone_, kSurveyLimit);
    std::vector<DeviceInfo> infos(placement.ordinals.size());
    std::vector<DeviceState> states(infos.size());
    std::vector<double> ceilings(infos.size());
    team_->each([&](Rank& rank) {
      const auto i = static_cast<std::size_t>(rank.number);
      infos[i] = rank.device->info();
      states[i] = rank.device->state();
    });
    const bool several = ranks_of(placement) > 1;
    if (several && infos.front().kind == DeviceKind::cuda) {
      std::string unfit = unlike(infos);
      if (unfit.empty() && p.busy_gpus == BusyGpus::refuse) unfit = busy(infos, states);
      if (!unfit.empty()) fail_usage(unfit);
    }
    team_->each([&](Rank& rank) {
      ceilings[static_cast<std::size_t>(rank.number)] = rank.device->copy_bandwidth();
    });
    ceiling_ = *std::ranges::min_element(ceilings);
    return device_facts(infos, ceilings,
                        several ? placement.factory->links(infos) : std::vector<LinkFact>{});
  }

  PointEstimate estimate(const std::vector<Case>& point) override {
    const Parameters& p = point.front().parameters;
    RankPlacement placement = place(p, hosts_);
    if (team_ == nullptr) open(placement, alone_, kSurveyLimit);
    const DeviceInfo& info = team_->rank(0).device->info();
    const auto local = static_cast<double>(placement.ordinals.size());
    PointEstimate together;
    const std::optional<StepShape> held = shape_on(placement, p, ranks_of(placement));
    if (!held) {
      together.cases.assign(point.size(), {.unsupported = placement.why_not});
      return together;
    }
    const StepShape& shape = *held;
    std::array<double, kPoolFormats> pools{};
    for (const Case& c : point) {
      check_spelling(c.variant);
      Estimate& estimate = together.cases.emplace_back();
      const KernelVariant* variant = find_variant(c, shape, placement, estimate.unsupported);
      if (variant == nullptr) continue;
      const double pool = pool_bytes(variant->pool, shape);
      const double scratch = static_cast<double>(variant->scratch_bytes(shape));
      pools[static_cast<std::size_t>(variant->pool)] = pool;
      together.device_bytes += scratch;
      estimate = {.negative_control = variant->negative_control, .device_bytes = pool + scratch};
      if (ceiling_ > 0) estimate.seconds = step_bytes(*variant, shape) / ceiling_;
    }
    together.device_bytes += std::accumulate(pools.begin(), pools.end(), 0.0);
    if (info.kind == DeviceKind::cpu) together.device_bytes *= local;  // one memory for all
    together.device_bytes_free = static_cast<double>(info.memory_free_bytes);
    return together;
  }

  void measure(const Workload& workload, const std::vector<Case>& point, std::int64_t replicate,
               std::uint64_t seed, Sink& sink) override {
    const auto begin = std::chrono::steady_clock::now();
    const CpuWatch watch;
    const Parameters& parameters = point.front().parameters;
    RankPlacement placement = place(parameters, hosts_);
    // The parent ends this whole process when it is silent for the deadline: a rank that hangs is
    // named before.
    if (!placement.why_not.empty()) {
      admit(point, std::nullopt, placement, sink);
      return;
    }
    open(placement, hosts_, Seconds(0.6 * workload.deadline_s));
    const std::uint64_t point_seed = hash64(seed, static_cast<std::uint64_t>(replicate));
    const auto shape = shape_on(placement, parameters, team_->size());
    std::vector<Contender> contenders = admit(point, shape, placement, sink);
    if (contenders.empty()) return;
    sink.begin(*contenders.front().what);
    KernelPoint at(*team_, hosts_, parameters, point_seed);
    sink.progress("check");
    std::erase_if(contenders, [&](Contender& c) { return !passes_check(c, at, sink); });
    for (Contender& c : contenders) {
      sink.begin(*c.what);
      at.prepare(c);
    }
    const Seconds set_up = std::chrono::steady_clock::now() - begin;
    std::mt19937_64 random(seed);
    const std::vector<Samples> samples =
        sample_together(workload.sampling, timed_steps(contenders, at, sink), random, hosts_);
    // The other processes of a run are none of the others.
    const bool on_cpu = placement.factory->name == to_string(DeviceKind::cpu);
    const auto others_cpu_share =
        on_cpu && hosts_.count() == 1 ? watch.others() : std::optional<double>();
    const RankFacts ranks{.count = team_->size(),
                          .set_up = set_up,
                          .message_bytes = at.message_bytes(),
                          .link_bytes_per_s = link_bytes_per_s(placement),
                          .others_cpu_share = others_cpu_share};
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      sink.begin(*contenders[i].what);
      at.measure_stages(contenders[i], i);
      sink.result(finished(contenders[i], samples[i], at.shape(), ranks));
    }
  }

 private:
  static constexpr Seconds kSurveyLimit{100};

  // Devices stay open, with their pools, from point to point.
  void open(const RankPlacement& placement, Hosts& hosts, Seconds deadline) {
    if (team_ != nullptr && placement == placement_) return;
    team_.reset();
    team_ = std::make_unique<RankTeam>(*placement.factory, placement.ordinals, hosts, deadline);
    placement_ = placement;
  }

  // The parameters of the group that takes most devices here.
  const Parameters& widest(const std::vector<std::vector<Case>>& groups) const {
    const Parameters* most = &groups.front().front().parameters;
    std::size_t count = 0;
    for (const std::vector<Case>& group : groups) {
      const RankPlacement placement = place(group.front().parameters, hosts_);
      if (!placement.why_not.empty() || placement.ordinals.size() <= count) continue;
      count = placement.ordinals.size();
      most = &group.front().parameters;
    }
    return *most;
  }

  [[nodiscard]] int ranks_of(const RankPlacement& placement) const {
    return static_cast<int>(placement.ordinals.size()) * hosts_.count();
  }

  // Of what the ranks talk over: between machines it is not known.
  double link_bytes_per_s(const RankPlacement& placement) {
    if (team_->size() == 1 || hosts_.local_count() < hosts_.count()) return 0;
    std::vector<DeviceInfo> infos;
    infos.reserve(static_cast<std::size_t>(team_->local()));
    for (int i = 0; i < team_->local(); ++i) infos.push_back(team_->rank(i).device->info());
    const std::vector<LinkFact> links = placement.factory->links(infos);
    return links.empty() ? 0 : links.front().bytes_per_s;
  }

  // Nothing, with the reason in the placement, where the ranks here are too few for the tokens.
  static std::optional<StepShape> shape_on(RankPlacement& placement, const Parameters& p,
                                           int ranks) {
    if (p.parallel != Parallel::context) return step_shape(p, ranks);
    try {
      return step_shape(p, ranks);
    } catch (const Error& error) {
      if (placement.why_not.empty()) placement.why_not = error.what();
      return std::nullopt;
    }
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
  const KernelVariant* find_variant(const Case& c, const StepShape& shape,
                                    const RankPlacement& placement, std::string& why_not) {
    const DeviceInfo& info = team_->rank(0).device->info();
    const std::string kind = to_string(info.kind);
    const auto* variant = Registry<KernelVariant>::find(kind + ":" + c.variant);
    if (!placement.why_not.empty()) {
      why_not = placement.why_not;
    } else if (variant == nullptr) {
      why_not = format("no variant '{}' on {}", c.variant, kind);
    } else {
      why_not = variant->unsupported(shape, info);
    }
    return why_not.empty() ? variant : nullptr;
  }

  std::vector<Contender> admit(const std::vector<Case>& point,
                               const std::optional<StepShape>& shape,
                               const RankPlacement& placement, Sink& sink) {
    std::vector<Contender> admitted;
    for (const Case& c : point) {
      std::string why_not = placement.why_not;
      const KernelVariant* variant = shape ? find_variant(c, *shape, placement, why_not) : nullptr;
      if (variant == nullptr) {
        sink.result({.what = c, .status = Status::skipped, .reason = why_not});
      } else {
        admitted.push_back({.what = &c, .variant = variant});
      }
    }
    return admitted;
  }

  // A variant whose output is wrong, and every negative control, ends here: it has no speed.
  static bool passes_check(Contender& contender, KernelPoint& at, Sink& sink) {
    sink.begin(*contender.what);
    const CheckResult checked = at.check(*contender.variant);
    contender.note = accuracy(checked);
    if (checked.correct && !contender.variant->negative_control) return true;
    Measurement result{.what = *contender.what};
    result.status = checked.correct ? Status::ok : Status::incorrect;
    result.reason = checked.correct ? contender.note : checked.reason;
    result.negative_control = contender.variant->negative_control;
    sink.result(std::move(result));
    return false;
  }

  static std::vector<TimedStep> timed_steps(std::vector<Contender>& contenders, KernelPoint& at,
                                            Sink& sink) {
    std::vector<TimedStep> steps;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      steps.emplace_back([&c = contenders[i], i, &at, &sink] {
        sink.begin(*c.what);
        return at.run(c, i);
      });
    }
    return steps;
  }

  Hosts& hosts_;
  Alone alone_;         // to look at the devices here, by this process itself
  double ceiling_ = 0;  // bytes per second; 0: not measured
  RankPlacement placement_;
  std::unique_ptr<RankTeam> team_;
};

const Register<RunnerKind> kRegistered{{
    .name = "kernel",
    .summary = "the decode step of each kernel variant, on this machine's GPUs or CPU",
    .survey = "measuring the copy bandwidth",
    .make = [](Hosts& hosts) { return std::make_unique<KernelRunner>(hosts); },
}};

}  // namespace
}  // namespace bench
