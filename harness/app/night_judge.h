#pragma once

#include <vector>

#include "harness/app/binaries.h"
#include "harness/app/findings.h"
#include "harness/app/night.h"
#include "harness/app/session.h"

namespace bench {

// What a night's run shows: by the pinned run and the night before, each change measured again.
struct NightVerdict {
  std::vector<Finding> findings;
  std::vector<Against> all;  // the runs it was compared with; the first must judge every case
};

// What is needed to measure again; `request` is that of the night.
struct SecondLook {
  const Survey& survey;
  const RunRequest& request;
  const Binaries& binaries;
};

// Judges night.run; adds to night.notes.
NightVerdict judge_night(Store& store, const NightRequest& request, const SecondLook& again,
                         Night& night);

}  // namespace bench
