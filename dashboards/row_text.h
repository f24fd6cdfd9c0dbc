#pragma once

#include <array>
#include <string>
#include <vector>

#include "results/compare.h"

namespace bench {

// A row of a comparison in words and figures, as every table shows it. The change recomputes from
// the two values shown.
struct RowText {
  std::string name;    // "single_stream, context 4k, native_fp8 against full_pool_cast"
  std::string metric;  // "tpot, ms"
  std::string before;  // empty, with `after` and `change`: not known
  std::string after;
  std::string change;      // "+3.0 %", from a factor of two on "x 2.10"
  std::string interval;    // "[+2.8, +3.3]", of the change; empty: too few replicates
  std::string detectable;  // "1.2 %"; empty: no change could be found
};
RowText row_text(const Row& row);

// Where the change of a step comes from: "cast +2.90 ms [+2.81, +3.02] (76.92 GB/s instead of 100.0
// GB/s)". The stages that are shown to have changed, by a tenth of the step's change at least; the
// largest change first.
std::vector<std::string> stage_texts(const Row& row);

std::string ratio_text(double ratio);

// The words of a table, in the order in which a reader needs them.
inline constexpr std::array kWordOrder{Word::regressed,    Word::invalid,  Word::missing,
                                       Word::inconclusive, Word::improved, Word::unchanged};

// The rows of a word, the largest change first.
std::vector<const Row*> rows_of(const Comparison& comparison, Word word);

// "1 regressed, 45 unchanged"; "nothing was compared".
std::string counts_text(const Comparison& comparison);

}  // namespace bench
