#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/statistics.h"
#include "results/side.h"

namespace bench {

// Why a stage takes another time: time = bytes / bandwidth, or cycles / clock.
enum class Cause {
  none,       // it does not, as far as the replicates show
  bytes,      // it moves more or fewer
  clock,      // the same cycles at another SM clock: no change of code
  bandwidth,  // the same bytes at another speed
  unknown,    // it moves no bytes that are declared
};

std::string_view to_string(Cause cause);

// What one stage contributes to the change of a step. The changes of all stages add up to that of
// the step: the last one, `unattributed`, is the rest.
struct StageChange {
  std::string stage;
  double baseline_s;  // median over the replicates; 0: the side has no such stage
  double candidate_s;
  double change_s;                   // candidate - baseline
  std::optional<Interval> interval;  // of change_s, 95 %; none with too few replicates
  double baseline_bytes = 0;         // moved in a step
  double candidate_bytes = 0;
  Cause cause = Cause::none;
  std::string explanation{};  // "66.8 GB instead of 22.3 GB", "same bytes at 1.03 instead of ..."
};

// Splits the change of `tpot_s` over the stages of the instrumented passes; empty where neither
// side has any. Both sides need values in every replicate used.
std::vector<StageChange> attribute(const Side& baseline, const Side& candidate, bool paired);

}  // namespace bench
