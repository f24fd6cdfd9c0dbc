#include "dashboards/scaling.h"

#include <algorithm>
#include <map>

#include "harness/format.h"

namespace bench {
namespace {

ScalingRow row_of(const CaseSummary& c, double& work_per_s) {
  const Parameters& p = c.what.parameters;
  const double ranks = c.metric("ranks").value_or(1);
  const double step = *c.tpot_s;
  const auto requests = static_cast<double>(p.concurrency * p.query_tokens);
  const bool own_requests = p.parallel == Parallel::replica;
  const double heads = p.parallel == Parallel::tensor ? ranks * static_cast<double>(p.heads) /
                                                            static_cast<double>(p.tensor_parallel)
                                                      : static_cast<double>(p.heads);
  const double tokens = requests * (own_requests ? ranks : 1) / step;
  work_per_s = tokens * heads;
  return {.ranks = static_cast<int>(ranks),
          .tpot_s = step,
          .tokens_per_s = tokens,
          .efficiency = 1,
          .allreduce_share = c.metric("allreduce_share"),
          .skew = c.metric("rank_skew")};
}

ScalingSeries series_of(std::string title, const std::vector<const CaseSummary*>& cases) {
  ScalingSeries series{.title = std::move(title), .variant = cases.front()->variant(), .rows = {}};
  std::map<int, std::pair<ScalingRow, double>> by_ranks;
  for (const CaseSummary* c : cases) {
    double work_per_s = 0;
    const ScalingRow row = row_of(*c, work_per_s);
    by_ranks.try_emplace(row.ranks, row, work_per_s);
  }
  const auto& [first, first_work] = by_ranks.begin()->second;
  for (auto& [ranks, entry] : by_ranks) {
    auto& [row, work] = entry;
    row.efficiency = work / row.ranks / (first_work / first.ranks);
    series.rows.push_back(row);
  }
  return series;
}

}  // namespace

std::vector<ScalingSeries> scaling_of(const WorkloadSummary& workload) {
  std::vector<std::string> held = workload.axes;
  if (std::erase(held, "gpus") == 0) return {};
  std::erase(held, "tensor_parallel");
  std::vector<std::string> titles;  // in the order of the workload
  std::map<std::string, std::vector<const CaseSummary*>> groups;
  for (const std::string& variant : workload.variants) {
    for (const PointSummary& point : workload.points) {
      const CaseSummary* c = find_variant(point, variant);
      if (c == nullptr || !c->tpot_s) continue;
      const std::string where = label(point.parameters, held);
      const std::string title = where.empty() ? variant : format("{}, {}", variant, where);
      std::vector<const CaseSummary*>& cases = groups[title];
      if (cases.empty()) titles.push_back(title);
      cases.push_back(c);
    }
  }
  std::vector<ScalingSeries> all;
  for (const std::string& title : titles) {
    ScalingSeries series = series_of(title, groups[title]);
    if (series.rows.size() > 1) all.push_back(std::move(series));
  }
  return all;
}

}  // namespace bench
