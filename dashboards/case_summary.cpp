#include "dashboards/case_summary.h"

#include <algorithm>
#include <cmath>

#include "dashboards/numbers.h"
#include "dashboards/text.h"
#include "harness/format.h"

namespace bench {
namespace {

// How much a status says against the case; a case has the worst of its replicates.
int severity(Status status) {
  switch (status) {
    case Status::ok:
      return 0;
    case Status::skipped:
      return 1;
    case Status::timeout:
      return 2;
    case Status::out_of_memory:
      return 3;
    case Status::failed:
      return 4;
    case Status::crashed:
      return 5;
    case Status::invalid:
      return 6;
    case Status::incorrect:
      return 7;
  }
  return 7;
}

std::optional<double> step_time(const Measurement& m) {
  std::optional<double> time = m.metric("tpot_s");
  if (!time && m.what.runner != "http" && !m.samples_s.empty()) time = median(m.samples_s);
  return time && shown_ms(*time) > 0 ? time : std::nullopt;  // of an imported run: 0 is no time
}

void merge_status(CaseSummary& c) {
  const Measurement* worst = nullptr;
  std::int64_t with_worst = 0;
  for (const Measurement* m : c.measurements) {
    if (worst == nullptr || severity(m->status) > severity(worst->status)) {
      worst = m;
      with_worst = 0;
    }
    if (m->status == worst->status) ++with_worst;
  }
  if (worst == nullptr) {
    c.reason = "planned, but this run holds no result";
    return;
  }
  c.status = worst->status;
  c.reason = short_reason(worst->reason);
  const auto all = static_cast<std::int64_t>(c.measurements.size());
  if (worst->status != Status::ok && with_worst < all) {
    c.reason =
        format("{} of {} replicates {}: {}", with_worst, all, to_string(worst->status), c.reason);
  }
}

// The speed of a wrong or disturbed case is no speed, whichever replicate showed it.
bool speed_counts(const CaseSummary& c) {
  return c.status && *c.status != Status::incorrect && *c.status != Status::invalid;
}

void merge_times(CaseSummary& c) {
  if (!speed_counts(c)) return;
  std::vector<double> times;
  for (const Measurement* m : c.measurements) {
    if (m->status != Status::ok) continue;
    if (const auto time = step_time(*m)) {
      c.replicates.push_back({m->replicate, *time});
      times.push_back(*time);
    }
  }
  if (times.empty()) return;
  c.tpot_s = median(times);
  if (c.what.parameters.rest_of_step_s > 0) {
    c.projected_tpot_s = (shown_ms(*c.tpot_s) + shown_ms(c.what.parameters.rest_of_step_s)) / 1e3;
  }
}

std::vector<std::string> stage_names(const CaseSummary& c) {
  std::vector<std::string> names;
  for (const Measurement* m : c.measurements) {
    for (const StageResult& s : m->stages) {
      if (std::ranges::find(names, s.stage) == names.end()) names.push_back(s.stage);
    }
  }
  return names;
}

void merge_stages(CaseSummary& c, double copy_bytes_per_s) {
  if (!c.tpot_s) return;
  double sum_ms = 0;
  for (const std::string& name : stage_names(c)) {
    std::vector<double> seconds;
    StageSummary merged{.stage = name};
    for (const Measurement* m : c.measurements) {
      if (m->status != Status::ok) continue;
      for (const StageResult& s : m->stages) {
        if (s.stage != name) continue;
        seconds.push_back(s.seconds);
        merged.bytes = s.bytes;
      }
    }
    if (seconds.empty()) continue;
    merged.seconds = median(seconds);
    if (copy_bytes_per_s > 0 && merged.bytes > 0 && merged.seconds > 0) {
      merged.of_ceiling =
          shown(merged.bytes) / (shown_ms(merged.seconds) / 1e3) / shown(copy_bytes_per_s);
    }
    c.bytes += merged.bytes;
    sum_ms += shown_ms(merged.seconds);
    c.stages.push_back(merged);
  }
  if (!c.stages.empty()) c.unattributed_s = (shown_ms(*c.tpot_s) - sum_ms) / 1e3;
}

// Bytes a step cannot do without: each active token's row once, in eight bits, in every layer.
double needed_bytes(const Parameters& p) {
  return static_cast<double>(p.context * p.concurrency) *
         static_cast<double>((p.kv_lora_rank + p.qk_rope_head_dim) * p.layers);
}

}  // namespace

bool CaseSummary::is_sound_control() const {
  return status == Status::incorrect && !measurements.empty() &&
         std::ranges::all_of(measurements, &Measurement::negative_control);
}

std::string CaseSummary::status_word() const {
  return status ? std::string(to_string(*status)) : "missing";
}

std::optional<double> CaseSummary::metric(std::string_view name) const {
  std::vector<double> values;
  for (const Measurement* m : measurements) {
    if (m->status != Status::ok) continue;
    if (const auto value = m->metric(name)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

void summarize_case(CaseSummary& c, double copy_bytes_per_s) {
  std::ranges::stable_sort(c.measurements, {}, [](const Measurement* m) { return m->replicate; });
  merge_status(c);
  merge_times(c);
  merge_stages(c, copy_bytes_per_s);
  c.memory_bytes = c.metric("device_memory_bytes");
  if (c.bytes <= 0) return;
  c.amplification = c.bytes / needed_bytes(c.what.parameters);
  if (copy_bytes_per_s <= 0) return;
  const double floor = shown(c.bytes) / shown(copy_bytes_per_s);
  // A step that beats its floor did not read memory at all; a prediction from it would mislead.
  if (floor <= kAboveCeiling * c.tpot_s.value_or(floor)) c.predicted_s = floor;
}

void compare_with_baseline(CaseSummary& c, const CaseSummary& baseline) {
  if (&c == &baseline || !c.tpot_s || !baseline.tpot_s) return;
  VariantChange change{.ratio = shown_ratio(*baseline.tpot_s, *c.tpot_s)};
  change.interval = paired_ratio_interval(baseline.replicates, c.replicates);
  for (const ReplicateTime& r : c.replicates) {
    change.pairs += std::ranges::count(baseline.replicates, r.replicate, &ReplicateTime::replicate);
  }
  c.change = change;
  Saving saving{.achieved_s = (shown_ms(*baseline.tpot_s) - shown_ms(*c.tpot_s)) / 1e3};
  if (c.predicted_s && baseline.predicted_s) {
    saving.predicted_s = (shown_ms(*baseline.predicted_s) - shown_ms(*c.predicted_s)) / 1e3;
  }
  c.saving = saving;
}

std::optional<Interval> paired_ratio_interval(const std::vector<ReplicateTime>& before,
                                              const std::vector<ReplicateTime>& after) {
  std::vector<double> logs;
  for (const ReplicateTime& a : after) {
    const auto b = std::ranges::find(before, a.replicate, &ReplicateTime::replicate);
    if (b != before.end()) logs.push_back(std::log(a.tpot_s / b->tpot_s));
  }
  if (logs.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(logs.size());
  const double half = student_t_quantile(0.975, n - 1) * standard_deviation(logs) / std::sqrt(n);
  const double centre = mean(logs);
  return Interval{std::exp(centre - half), std::exp(centre + half)};
}

}  // namespace bench
