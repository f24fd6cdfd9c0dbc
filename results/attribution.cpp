#include "results/attribution.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/format.h"
#include "harness/rank_shift.h"
#include "harness/units.h"

namespace bench {
namespace {

struct Stage {
  std::string name;
  std::vector<double> seconds;  // [replicate]
  double bytes = 0;
};

const Stage* find(const std::vector<Stage>& stages, const std::string& name) {
  const auto found = std::ranges::find(stages, name, &Stage::name);
  return found == stages.end() ? nullptr : &*found;
}

// One side's stages, replicate by replicate.
struct Stages {
  std::vector<Stage> stages;  // in the order of the step
  std::vector<double> step;   // tpot_s
  std::vector<double> rest;   // of it, less all stages
  std::vector<double> clocks;
};

Stages stages_of(const Side& side) {
  Stages all;
  for (const Measurement* m : side.measurements) {
    const auto step = m->metric("tpot_s");
    if (m->status != Status::ok || !step || m->stages.empty()) continue;
    double rest = *step;
    for (const StageResult& s : m->stages) {
      auto stage = std::ranges::find(all.stages, s.stage, &Stage::name);
      if (stage == all.stages.end()) stage = all.stages.insert(stage, {s.stage, {}});
      stage->seconds.push_back(s.seconds);
      stage->bytes = s.bytes;
      rest -= s.seconds;
    }
    all.step.push_back(*step);
    all.rest.push_back(rest);
    if (const auto clock = clock_of(*m)) all.clocks.push_back(*clock);
  }
  return all;
}

double median_or_zero(const std::vector<double>& values) {
  return values.empty() ? 0 : median(values);
}

// 95 % interval of the shift; a side without the stage is all zeros.
std::optional<Interval> shift_interval(std::vector<double> before, std::vector<double> after,
                                       bool paired) {
  if (before.empty()) before.assign(after.size(), 0);
  if (after.empty()) after.assign(before.size(), 0);
  if (before.empty()) return std::nullopt;
  const bool pairs = paired && before.size() == after.size();
  return (pairs ? RankShift::paired(before, after) : RankShift::unpaired(before, after))
      .interval(0.05);
}

StageChange change_of(const std::string& stage, const std::vector<double>& before,
                      const std::vector<double>& after, bool paired) {
  StageChange change{.stage = stage,
                     .baseline_s = median_or_zero(before),
                     .candidate_s = median_or_zero(after),
                     .change_s = median_or_zero(after) - median_or_zero(before),
                     .interval = shift_interval(before, after, paired)};
  if (change.interval) {
    change.interval->low = std::min(change.interval->low, change.change_s);
    change.interval->high = std::max(change.interval->high, change.change_s);
  }
  return change;
}

bool shown(const StageChange& change) {
  return change.interval && (change.interval->low > 0 || change.interval->high < 0);
}

// Does a factor account for most of another?
bool accounts_for(double factor, double change) {
  return std::abs(std::log(factor) - std::log(change)) < std::abs(std::log(change)) / 2;
}

void explain(StageChange& change, const Stages& before, const Stages& after) {
  if (!shown(change) || change.baseline_s <= 0 || change.candidate_s <= 0) return;
  const double ratio = change.candidate_s / change.baseline_s;
  const double from = change.baseline_bytes;
  const double to = change.candidate_bytes;
  if (from > 0 && to > 0 && accounts_for(to / from, ratio)) {
    change.cause = Cause::bytes;
    change.explanation = format("{} instead of {}", format_bytes(to), format_bytes(from));
    return;
  }
  if (!before.clocks.empty() && !after.clocks.empty()) {
    const double slower = median(before.clocks) / median(after.clocks);
    if (accounts_for(slower, ratio)) {
      change.cause = Cause::clock;
      change.explanation = format("SM clock {:.0f} instead of {:.0f} MHz",
                                  median(after.clocks) / 1e6, median(before.clocks) / 1e6);
      return;
    }
  }
  if (from <= 0 || to <= 0) {
    change.cause = Cause::unknown;
    return;
  }
  change.cause = Cause::bandwidth;
  change.explanation = format("{} instead of {}", format_bandwidth(to / change.candidate_s),
                              format_bandwidth(from / change.baseline_s));
}

}  // namespace

std::string_view to_string(Cause cause) {
  constexpr std::array<std::string_view, 5> kNames{"none", "bytes", "clock", "bandwidth",
                                                   "unknown"};
  return kNames.at(static_cast<std::size_t>(cause));
}

std::vector<StageChange> attribute(const Side& baseline, const Side& candidate, bool paired) {
  const Stages before = stages_of(baseline);
  const Stages after = stages_of(candidate);
  if (before.step.empty() || after.step.empty()) return {};
  std::vector<std::string> names;
  for (const Stage& stage : before.stages) names.push_back(stage.name);
  for (const Stage& stage : after.stages) {
    if (find(before.stages, stage.name) == nullptr) names.push_back(stage.name);
  }
  std::vector<StageChange> changes;
  StageChange rest = change_of("unattributed", before.rest, after.rest, paired);
  rest.baseline_s = median(before.step);
  rest.candidate_s = median(after.step);
  for (const std::string& name : names) {
    const Stage none{name, {}};
    const Stage* a = find(before.stages, name);
    const Stage* b = find(after.stages, name);
    if (a == nullptr) a = &none;
    if (b == nullptr) b = &none;
    StageChange change = change_of(name, a->seconds, b->seconds, paired);
    change.baseline_bytes = a->bytes;
    change.candidate_bytes = b->bytes;
    explain(change, before, after);
    rest.baseline_s -= change.baseline_s;
    rest.candidate_s -= change.candidate_s;
    changes.push_back(std::move(change));
  }
  rest.change_s = rest.candidate_s - rest.baseline_s;
  if (rest.interval) {
    rest.interval->low = std::min(rest.interval->low, rest.change_s);
    rest.interval->high = std::max(rest.interval->high, rest.change_s);
  }
  changes.push_back(std::move(rest));
  return changes;
}

}  // namespace bench
