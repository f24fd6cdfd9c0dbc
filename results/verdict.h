#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/statistics.h"
#include "results/evidence.h"
#include "results/result.h"

namespace bench {

// How a verdict is reached, for the metrics compared together (a family):
//  1. Replicates are compared by exact rank tests: the ratio candidate / baseline with its 95 %
//     interval, and the p-value of "nothing changed".
//  2. Holm (1979) corrects the p-values over the family. An alarm needs 1 % there, so at most one
//     in a hundred families of equal code raises any, whatever the shape of the noise.
//  3. improved, regressed: p is at most 1 % and the whole interval lies beyond +-min_effect.
//     unchanged: the whole interval lies inside. inconclusive: all else.

enum class Word { improved, regressed, unchanged, inconclusive, missing, invalid };
std::string_view to_string(Word word);

// What is asked of a metric.
struct Question {
  Better better = Better::lower;
  double min_effect = 0.01;  // the smallest change of interest, as a fraction
};

struct Verdict {
  Word word;
  std::string reason;
  double p = 1;                                     // corrected over the family
  std::optional<Interval> adjusted{};               // interval of the ratio at the corrected level
  std::optional<double> detectable{};               // detectable_effect()
  std::optional<std::int64_t> replicates_needed{};  // of an inconclusive one
};

struct Judged {
  Evidence evidence;
  Question question;
};

// The verdicts over one family, in its order. `share` of the error rates is spent; less than all
// when the same data will be judged again (results/sequential.h). `size` comparisons at least make
// the family: those that a first look left out count as p = 1, which can only raise the others' p.
std::vector<Verdict> judge(std::span<const Judged> family, double share = 1, std::size_t size = 0);

// p-values corrected by Holm's step-down method, in the order given.
std::vector<double> holm(std::span<const double> p);

}  // namespace bench
