#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/app/execute.h"
#include "harness/app/findings.h"

namespace bench {

using KnownChanges = std::set<std::pair<Word, std::string>>;  // by word and subject

// Before anyone is told of a change, or that noise left no answer, it is measured again, once: each
// case that the comparisons find worse, better than the first of them, or cannot tell for its noise
// (inconclusive, or others on the CPU; of other comparisons than the first where it is this run's,
// for the noise of a night that is over does not pass). Where the program that measured the first
// reference is still there and is another one, both measure, interleaved.
struct Recheck {
  const Plan* plan;
  const Survey* survey;
  RunRequest request;                          // tag, notes and time of the night
  KnownChanges told;                           // they need no second look
  std::optional<std::filesystem::path> old{};  // program that measured the first reference
};

// Cases by workload and case id, and how many times as often as planned each is to be measured; the
// cases of one workload are measured as often as the most of them.
using Suspects = std::map<std::pair<std::string, std::string>, std::int64_t>;
// Measures these cases, with what they are relative to: a run CONFIGURATION.confirm, and one of the
// old program.
std::vector<std::int64_t> measure_again(Store& store, const Recheck& recheck,
                                        const Suspects& suspects);

struct Confirmation {
  std::int64_t again = 0;      // verdicts that were measured again
  std::int64_t dismissed = 0;  // of these, gone the second time
};

// Puts the verdicts that stand in place of the first ones. The second measurement alone judges; the
// replicates of the two are never pooled:
//   a change stands if it is seen twice; one that is not is `unchanged`, with the reason;
//   what noise hid is measured twice as often, and is what that says, whatever it is.
// So every alarm is one of the second measurement. Holm corrects it over all comparisons of the
// first, as if all had been measured again and those that were not had p = 1; that can only raise
// p, and the chance of a false alarm stays that of one measurement (1 %), however the first one
// chose. Where the program before was measured too, a change that stands says whether it is the
// program's or the machine's; that path adds only what two independent measurements both show.
Confirmation confirm(Store& store, const Recheck& recheck, std::vector<Against>& all);

}  // namespace bench
