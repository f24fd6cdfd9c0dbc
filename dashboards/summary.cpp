#include "dashboards/summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "dashboards/case_summary.h"
#include "dashboards/numbers.h"
#include "harness/format.h"

namespace bench {
namespace {

using MeasuredCases = std::map<std::string, std::vector<const Measurement*>>;

std::string axis_text(const Parameters& parameters, const std::string& axis) {
  const ParameterInfo* info = find_parameter(axis);
  return info == nullptr ? std::string() : to_text(parameters, *info);
}

CaseSummary take_case(const Workload& workload, Case what, MeasuredCases& measured) {
  CaseSummary c;
  c.what = std::move(what);
  c.case_id = case_id(c.what);
  c.planned = workload.replicates;
  if (const auto found = measured.find(c.case_id); found != measured.end()) {
    c.measurements = std::move(found->second);
    measured.erase(found);
  }
  return c;
}

void skip(CaseSummary& c, const std::string& reason) {
  if (!c.measurements.empty()) return;
  c.status = Status::skipped;
  c.reason = reason;
}

// Results of cases the plan does not name, such as those of a configuration that has changed.
void add_unplanned(WorkloadSummary& summary, const Workload& workload, MeasuredCases& measured) {
  std::map<std::string, std::size_t> point_of;
  for (auto& [id, list] : MeasuredCases(std::move(measured))) {
    Case what = list.front()->what;
    Case anonymous = what;
    anonymous.variant.clear();
    const auto [at, is_new] = point_of.try_emplace(canonical(anonymous), summary.points.size());
    if (is_new) summary.points.push_back({.parameters = what.parameters});
    MeasuredCases own{{id, list}};
    summary.points[at->second].cases.push_back(take_case(workload, std::move(what), own));
  }
  measured.clear();
}

void name_axes(WorkloadSummary& summary, const std::vector<std::string>& axes) {
  std::vector<std::string> fixed;
  for (const std::string& axis : axes) {
    std::set<std::string> values;
    for (const PointSummary& p : summary.points) values.insert(axis_text(p.parameters, axis));
    (values.size() > 1 ? summary.axes : fixed).push_back(axis);
  }
  if (summary.points.empty()) return;
  summary.fixed = label(summary.points.front().parameters, fixed);
  for (PointSummary& p : summary.points) p.label = label(p.parameters, summary.axes);
}

void fit_pools(WorkloadSummary& summary) {
  if (std::ranges::find(summary.axes, "pool_tokens") == summary.axes.end()) return;
  std::vector<std::string> others;
  std::ranges::copy_if(summary.axes, std::back_inserter(others),
                       [](const auto& a) { return a != "pool_tokens"; });
  struct PoolSizes {
    std::vector<double> pool, tpot;
  };
  for (const std::string& variant : summary.variants) {
    std::map<std::string, PoolSizes> tracks;
    for (const PointSummary& p : summary.points) {
      const CaseSummary* c = find_variant(p, variant);
      if (c == nullptr || !c->tpot_s) continue;
      PoolSizes& track = tracks[label(p.parameters, others)];
      track.pool.push_back(static_cast<double>(p.parameters.pool_tokens));
      track.tpot.push_back(*c->tpot_s);
    }
    for (const auto& [held, track] : tracks) {
      const auto [low, high] = std::ranges::minmax(track.pool);
      if (track.pool.size() < 3 || low == high) continue;
      const Line line = fit_line(track.pool, track.tpot);
      const double start = line.intercept + line.slope * low;
      summary.pool_fits.push_back({variant, held, line, line.slope * (high - low) / start});
    }
  }
}

WorkloadSummary summarize_workload(const Workload& workload, MeasuredCases measured,
                                   double copy_bytes_per_s) {
  WorkloadSummary summary;
  summary.name = workload.name;
  summary.runner = workload.runner;
  summary.baseline = workload.baseline;
  for (const Point& point : workload.points) {
    PointSummary p{.parameters = point.parameters};
    for (const std::string& variant : workload.variants) {
      p.cases.push_back(take_case(workload, workload.case_of(point, variant), measured));
      if (!point.skip.empty()) skip(p.cases.back(), point.skip);
    }
    summary.points.push_back(std::move(p));
  }
  add_unplanned(summary, workload, measured);
  summary.variants = workload.variants;
  for (PointSummary& p : summary.points) {
    for (CaseSummary& c : p.cases) {
      if (std::ranges::find(summary.variants, c.variant()) == summary.variants.end()) {
        summary.variants.push_back(c.variant());
      }
      const bool planned_out = c.measurements.empty() && c.status;
      if (!planned_out) summarize_case(c, copy_bytes_per_s);
    }
    const CaseSummary* baseline = find_variant(p, summary.baseline);
    if (baseline == nullptr) continue;
    for (CaseSummary& c : p.cases) compare_with_baseline(c, *baseline);
  }
  name_axes(summary, workload.axes);
  fit_pools(summary);
  return summary;
}

// A workload for results whose plan is not at hand: every parameter that varies is an axis.
Workload workload_from(const std::string& name, const MeasuredCases& measured) {
  Workload workload;
  workload.name = name;
  std::set<std::int64_t> replicates;
  for (const auto& [id, list] : measured) {
    workload.runner = list.front()->what.runner;
    for (const Measurement* m : list) replicates.insert(m->replicate);
  }
  workload.replicates = static_cast<std::int64_t>(replicates.size());
  for (const ParameterInfo& info : parameter_table()) {
    std::set<std::string> values;
    for (const auto& [id, list] : measured)
      values.insert(to_text(list.front()->what.parameters, info));
    if (info.identity && values.size() > 1) workload.axes.emplace_back(info.name);
  }
  return workload;
}

}  // namespace

RunSummary summarize(std::span<const Workload> workloads, std::span<const Measurement> measurements,
                     double copy_bytes_per_s) {
  std::map<std::string, MeasuredCases> measured;
  CaseIds ids;
  for (const Measurement& m : measurements) measured[m.workload][ids.of(m.what)].push_back(&m);
  RunSummary summary{.copy_bytes_per_s = copy_bytes_per_s};
  for (const Workload& workload : workloads) {
    summary.workloads.push_back(
        summarize_workload(workload, std::move(measured[workload.name]), copy_bytes_per_s));
    measured.erase(workload.name);
  }
  for (auto& [name, by_case] : measured) {
    const Workload workload = workload_from(name, by_case);
    summary.workloads.push_back(summarize_workload(workload, std::move(by_case), copy_bytes_per_s));
  }
  return summary;
}

Headline headline(const RunSummary& summary) {
  Headline best;
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const PointSummary& point : workload.points) {
      for (const CaseSummary& c : point.cases) {
        if (!c.change || c.status != Status::ok) continue;
        if (best.winner == nullptr || c.change->ratio < best.winner->change->ratio)
          best = {&workload, &point, &c};
      }
    }
  }
  return best;
}

std::string sentence(const Headline& found) {
  if (found.winner == nullptr) return "No variant has a speed beside a baseline's in this run.";
  const double ratio = found.winner->change->ratio;
  std::string where = found.point->label;
  if (!found.workload->fixed.empty()) where += (where.empty() ? "" : ", ") + found.workload->fixed;
  if (!where.empty()) where = " at " + where;
  std::string change;
  if (change_text(ratio) == change_text(1)) {
    return format("No variant is faster than {}: the nearest, {}, is as fast{}.",
                  found.workload->baseline, found.winner->variant(), where);
  }
  if (ratio > 1) {
    return format("No variant is faster than {}: the nearest, {}, is {:.1f} % slower{}.",
                  found.workload->baseline, found.winner->variant(), (ratio - 1) * 100, where);
  }
  if (ratio <= 0.5) {
    change = significant(1 / ratio, 3) + " x faster than";
  } else {
    change = format("{:.1f} % faster a token than", (1 - ratio) * 100);
  }
  return format("{} is {} {}{}.", found.winner->variant(), change, found.workload->baseline, where);
}

const CaseSummary* find_variant(const PointSummary& point, std::string_view variant) {
  const auto found = std::ranges::find(point.cases, variant, &CaseSummary::variant);
  return found == point.cases.end() ? nullptr : &*found;
}

const StageSummary* find_stage(const CaseSummary& c, std::string_view stage) {
  const auto found = std::ranges::find(c.stages, stage, &StageSummary::stage);
  return found == c.stages.end() ? nullptr : &*found;
}

}  // namespace bench
