#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/compare.h"

namespace bench {

// Noise that leaves a gate without an answer: in a run that is to be a baseline, and in a
// comparison.

// What the gate of a case can tell where the run is the baseline.
struct GateAnswer {
  Row row;                      // of the run beside itself
  std::optional<double> tells;  // resolution() of the replicates: the least min_effect; none: any
  std::string wanting{};        // why the gate has no answer; empty: it has one
  bool noise = false;           // of one that has none: measured again it may have
};
// `alone`: the run compared with itself by its gates.
std::vector<GateAnswer> answers(Comparison alone);

// Whose replicates leave a row without an answer: they resolve less than is asked, or others on the
// CPU disturbed them. none: neither's; the change itself is near min_effect.
enum class Restless { none, baseline, candidate, both };
Restless restless(const Row& row, std::size_t family);

}  // namespace bench
