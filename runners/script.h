#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/units.h"
#include "workloads/parameters.h"

namespace bench {

// What the fake runner does for one variant, written in a workload as `script:`.
//
//   full_pool_cast = 10ms@cast + 2ns*pool_tokens@cast + 1ms@attention ~1%; broken = crash
//
// A step is a sum of terms TIME[*PARAMETER][@STAGE], with an optional relative noise ~FRACTION
// (deterministic in case, replicate and sample). Instead of a sum: one of the words
//   crash (abort), kill (SIGKILL), exit (exit 1), hang, oom, incorrect, invalid, fail
// `variant#2 = ...` holds in replicate 2 only, and goes before what holds in all.
struct ScriptTerm {
  double seconds = 0;
  std::string parameter;  // factor; empty: 1
  std::string stage;      // empty: unattributed
};

struct ScriptOutcome {
  std::string word;  // empty: a step of `terms`
  std::vector<ScriptTerm> terms;
  double noise = 0;
};

// The outcome for a variant and replicate; throws Error (exit 2) that quotes the part it cannot
// read, or when the variant has none.
ScriptOutcome script_outcome(std::string_view script, std::string_view variant,
                             std::int64_t replicate);

// The time of one term at a point.
Seconds term_time(const ScriptTerm& term, const Parameters& parameters);

}  // namespace bench
