#pragma once

#include <string>
#include <vector>

#include "results/environment.h"

namespace bench {

// A fact that two runs disagree on. An absent one is empty: it cannot be shown to be equal.
struct FactDifference {
  std::string name;
  std::string baseline;
  std::string candidate;
  FactRole role;  // the stricter of the two
};

// What differs, those that forbid a comparison first, then by name. Circumstances (load,
// temperature) always differ and are left out.
std::vector<FactDifference> differences(const std::vector<Fact>& baseline,
                                        const std::vector<Fact>& candidate);

// Why the runs may not be compared: "the machines differ: gpu0.model (H200, now B200)"; empty: they
// may.
std::string unfit(const std::vector<FactDifference>& differences);

}  // namespace bench
