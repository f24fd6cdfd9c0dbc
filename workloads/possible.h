#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/parameters.h"

namespace bench {

// Why a point cannot be, and the parameters to blame, the likeliest first.
struct Impossible {
  std::vector<std::string_view> parameters;
  std::string reason;
};

// Slots that the requests of a step take: each its context, in whole pages.
std::int64_t active_slots(const Parameters& parameters);

// Contradictions between parameters that no runner could mean. A point with an endpoint is a live
// server's, whose pool and ranks are its own: only the request is checked. nullopt: possible.
std::optional<Impossible> impossible(const Parameters& parameters);

}  // namespace bench
