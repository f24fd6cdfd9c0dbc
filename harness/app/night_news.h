#pragma once

#include <cstdint>
#include <vector>

#include "harness/app/findings.h"
#include "harness/app/night_message.h"

namespace bench {

// What a night's findings are beside what was told already.
struct NightNews {
  News news;
  std::vector<std::int64_t> closed;  // ids of incidents that are over
  Exit exit = Exit::ok;              // of the night
};
NightNews news_of(const std::vector<Finding>& findings, const std::vector<Against>& all,
                  const std::vector<Incident>& told);

}  // namespace bench
