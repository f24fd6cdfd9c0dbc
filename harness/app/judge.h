#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/compare.h"
#include "results/history_series.h"
#include "results/query.h"

namespace bench {

// How a run stands by the gates of its configuration; `bench gate` prints it, `bench nightly` tells
// of it.

// A change since the baseline that single nights do not show.
struct Worsened {
  PlannedCase planned;
  std::string metric;
  std::string relative_to;  // of its gate
  double ratio;             // newest level / that of the baseline
  bool drift;               // else a step
  std::int64_t from;        // run at which it begins
  std::string words;
};

// A gate without a case to judge.
struct Uncovered {
  Gate gate;
  std::string reason;
  bool meant;  // the configuration leaves its cases out, or they cannot be measured on this machine
};

struct Judgement {
  Comparison comparison;
  std::vector<Uncovered> uncovered;
  std::vector<Worsened> worsened;

  [[nodiscard]] Exit exit() const;
};
Judgement judge_run(Store& store, const RunRecord& candidate, const std::vector<Gate>& gates,
                    std::int64_t baseline, bool across_machines);

// "the gate on tpot_s of decode judged no case", and that with the reason.
std::string uncovered_gate(const Uncovered& uncovered);
std::string uncovered_text(const Uncovered& uncovered);

// Those of which no row of the comparison is. `run`: one that it compares.
std::vector<Uncovered> uncovered_by(const std::vector<Gate>& gates, const Comparison& comparison,
                                    const RunRecord& run);

// What the gates ask of a comparison.
std::vector<Asked> asked_by(const std::vector<Gate>& gates);

// What the gate judges of a planned case over the runs: the case beside its control where there is
// one. None: it does not judge it, or it is the control itself. `all`: the series of the gate's
// metric, one a planned case.
std::optional<HistorySeries> judged_series(const RunRecord& run, const Gate& gate, std::size_t at,
                                           const std::vector<HistorySeries>& all);

// The comparison alone. `family`: see CompareOptions.
Comparison compare_by(const std::vector<Gate>& gates, const RunRecord& baseline,
                      const RunRecord& candidate, bool across_machines = false,
                      std::size_t family = 0);

// The accepted baseline of the run's configuration: that of its host, else of another; none: no run
// was accepted.
std::optional<std::int64_t> pinned_for(Store& store, const RunInfo& candidate);

// The newest complete run of the configuration before the candidate, on the same host and machine.
std::optional<std::int64_t> previous_of(Store& store, const RunInfo& candidate);

}  // namespace bench
