#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "results/verdict.h"

namespace bench {

// A comparison that takes pairs of replicates until its verdicts are clear. Looking often would
// raise false alarms, so it looks at a few sizes fixed beforehand and each look spends an equal
// share of the error rates: together they stay below those of one look (Bonferroni).

// Numbers of pairs at which to look: 8, 12, 16, 24, ... up to `most_pairs`, which must be >= 8.
std::vector<std::int64_t> looks(std::int64_t most_pairs);

// Which side each pair measures first. Of every two pairs one begins with the baseline and one with
// the candidate, in random order: neither place nor a steady drift favours a side.
std::vector<bool> baseline_first(std::int64_t pairs, std::mt19937_64& random);

// The verdicts of the looks so far. One that was clear at an earlier look stands.
class Sequential {
 public:
  explicit Sequential(std::int64_t most_pairs) : looks_(looks(most_pairs)) {}

  [[nodiscard]] const std::vector<std::int64_t>& sizes() const { return looks_; }
  // Looks at the pairs so far; the family is the same at every look.
  void look(std::vector<Judged> family);
  [[nodiscard]] bool clear() const;  // no verdict is inconclusive
  [[nodiscard]] const std::vector<Verdict>& verdicts() const { return verdicts_; }

 private:
  std::vector<std::int64_t> looks_;
  std::vector<Verdict> verdicts_;
};

}  // namespace bench
