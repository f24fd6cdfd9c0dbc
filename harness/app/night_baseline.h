#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/app/confirm.h"
#include "harness/app/night.h"

namespace bench {

// What a night has to say of the run that nights are judged by.

// The newest run of the last two weeks, on the same machine, that may be pinned: its gates all have
// an answer and its night told of no regression. `tonight`: whether that is so of its verdicts.
std::optional<std::int64_t> quiet_run(Store& store, const Plan& plan, const RunRecord& run,
                                      bool tonight);

std::string accept_command(std::int64_t run, const std::string& database);

// That no run is pinned, and which could be. Where none is quiet enough, the cases that are too
// restless are measured again, which says whether that lasts; `night.notes` says it too, so that no
// other night is judged by this one.
struct Unpinned {
  const NightRequest& request;
  const RunRecord& run;
  const Recheck& recheck;
  bool alone;      // there is no night before to judge by
  bool regressed;  // against it
};
Finding nothing_pinned(Store& store, const Unpinned& unpinned, Night& night);

// In the notes of a night whose verdicts did not stand, or could not be given: no other is judged
// by it.
inline constexpr const char* kNoisy = "noisy";

}  // namespace bench
