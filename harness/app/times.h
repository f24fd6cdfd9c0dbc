#pragma once

#include <string>

namespace bench {

std::string utc_time(double unix_s);  // "2026-11-29 21:00:00"

}  // namespace bench
