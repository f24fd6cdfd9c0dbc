#include "dashboards/compared_runs.h"

#include <map>

namespace bench {
namespace {

using SummaryOfCase = std::map<CaseKey, const CaseSummary*>;

SummaryOfCase index(const RunSummary& summary) {
  SummaryOfCase found;
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const PointSummary& point : workload.points) {
      for (const CaseSummary& c : point.cases) found[{workload.name, c.case_id}] = &c;
    }
  }
  return found;
}

const CaseSummary* find(const SummaryOfCase& cases, const CaseKey& key) {
  const auto found = cases.find(key);
  return found == cases.end() ? nullptr : found->second;
}

}  // namespace

ComparedRuns compared_runs(const CompareSide& before, const CompareSide& after,
                           const Comparison& comparison) {
  ComparedRuns runs{before, after, comparison, {}};
  const SummaryOfCase old_cases = index(before.summary);
  const SummaryOfCase new_cases = index(after.summary);
  for (const Word word : kWordOrder) {
    for (const Row* row : rows_of(comparison, word)) {
      Case old = row->what;
      old.variant = row->baseline_variant;
      runs.rows.push_back({row, row_text(*row), find(old_cases, {row->workload, case_id(old)}),
                           find(new_cases, {row->workload, case_id(row->what)})});
    }
  }
  return runs;
}

WordLook look_of(Word word) {
  switch (word) {
    case Word::improved:
      return {"\u25b2", "good"};
    case Word::regressed:
      return {"\u25bc", "bad"};
    case Word::unchanged:
      return {"=", "none"};
    case Word::inconclusive:
      return {"~", "none"};
    case Word::missing:
      return {"?", "warn"};
    case Word::invalid:
      break;
  }
  return {"\u2715", "warn"};
}

}  // namespace bench
