#pragma once

#include <string>

namespace bench::testing {

// What tests/dashboards/golden/<name> holds. With BENCH_UPDATE_GOLDEN set, the file is first
// rewritten with `actual`, to be looked at and committed.
std::string golden(const std::string& name, const std::string& actual);

}  // namespace bench::testing
