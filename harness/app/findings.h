#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/judge.h"
#include "results/nights.h"

namespace bench {

// What a careful person would want to hear of a night's run.

// One fact about the run. `opened` of its incident is left empty.
struct Finding {
  Incident incident;
  Exit exit = Exit::unjudged;   // what it makes of the night
  std::optional<Row> row = {};  // the verdict that says so
};

// The verdicts of a run against one other run, after confirmation.
struct Against {
  std::int64_t reference = 0;
  std::string name;  // "run 3, pinned", "run 11, the night before"
  Comparison comparison;
};

// What is needed to put a finding in words.
struct Wording {
  std::string configuration;  // file, for the command that repeats a case
  std::string argv;
  std::function<std::string(std::int64_t reference)> page;  // link to the comparison
  std::string quieter;  // the command that pins a run with less noise than the first; empty: none
};

// Of the comparison with the pinned baseline (`main`), which must judge every case, and with other
// runs, which count where they show a change for the worse.
std::vector<Finding> findings_of(const RunRecord& run, const Judgement& main,
                                 const std::vector<Against>& all, const Wording& wording);

// Cases of the plan that were not measured as often as asked, or ended badly; those of `covered`
// subjects have a finding already.
std::vector<Finding> unmeasured(const RunRecord& run, const std::vector<Finding>& covered);

// Whether an incident that no finding repeats is over: the comparisons with the pinned run and with
// the one it was told against have judged the case, or have it no longer. The night before, which
// may have been a restless one, has no say.
bool is_over(const Incident& incident, const std::vector<Against>& all);

// "workload|case id|metric", and what the metric is relative to.
std::string subject_of(const Row& row);

}  // namespace bench
