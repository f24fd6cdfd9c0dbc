#pragma once

#include <filesystem>
#include <string>

namespace bench {

// The `bench` of the same build as the running test.
inline std::string bench_binary() {
  const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  return (build / "harness" / "app" / "bench").string();
}

}  // namespace bench
