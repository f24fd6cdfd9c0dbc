#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/app/execute.h"
#include "harness/app/findings.h"

namespace bench {

// Before anyone is told of a change, it is measured again: each case that the comparisons find
// worse, better than the first of them, or cannot tell. Where the program that measured the first
// reference is still there and is another one, both measure, interleaved.
struct Recheck {
  const Plan* plan;
  const Survey* survey;
  RunRequest request;          // tag, notes and time of the night
  std::set<std::string> told;  // subjects of changes that are known: they need no second look
  std::optional<std::filesystem::path> old{};  // program that measured the first reference
};

struct Confirmation {
  std::int64_t again = 0;      // verdicts that were measured again
  std::int64_t dismissed = 0;  // of these, gone the second time
  std::vector<std::int64_t> runs{};
};

// Puts the verdicts that stand in place of the first ones:
//   the same twice stands; a change that is not seen again is `unchanged`, with the reason;
//   what could not be told and now can is what the second measurement says; else inconclusive.
// Where the program before was measured too, a change that stands says whether it is the program's
// or the machine's.
Confirmation confirm(Store& store, const Recheck& recheck, std::vector<Against>& all);

}  // namespace bench
