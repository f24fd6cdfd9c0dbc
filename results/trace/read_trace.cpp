#include "results/trace/read_trace.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "harness/error.h"

namespace bench {
namespace fs = std::filesystem;

Trace read_trace(const std::string& path) {
  std::array<char, 16> first{};
  std::ifstream(path, std::ios::binary).read(first.data(), first.size());
  if (std::string_view(first.data(), 15) == "SQLite format 3") return read_nsys(path);
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep")) {
    fail_usage(path + " is Nsight Systems' own format: export it with nsys export --type sqlite");
  }
  return read_kineto(path);
}

std::vector<std::string> trace_files(const std::string& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().string();
    const auto ends = [&](std::string_view end) { return name.ends_with(end); };
    if (ends(".json") || ends(".json.gz") || ends(".sqlite")) files.push_back(name);
  }
  if (files.empty()) fail_usage(path + " holds no *.json, *.json.gz or *.sqlite");
  std::ranges::sort(files);
  return files;
}

}  // namespace bench
