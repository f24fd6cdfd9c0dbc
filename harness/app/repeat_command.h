#pragma once

#include <string>
#include <vector>

#include "workloads/case.h"

namespace bench {

// The command that measures one case of a run again, and nothing else: what was typed (RunInfo::
// argv), with --only and the values of the workload's axes in place of what chose the cases then.
struct RepeatedCase {
  std::string workload;
  std::vector<std::string> axes;
  Case what;
  std::string relative_to{};  // a variant that is to be measured with it; empty: none
};
std::string repeat_command(const std::string& typed, const std::string& configuration,
                           const RepeatedCase& repeated);

}  // namespace bench
