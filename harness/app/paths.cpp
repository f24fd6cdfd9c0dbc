#include "harness/app/paths.h"

#include <cstdlib>

#include "harness/app/source_folder.h"

namespace bench {
namespace fs = std::filesystem;

fs::path own_binary() { return fs::read_symlink("/proc/self/exe"); }

std::vector<fs::path> data_folders() {
  const fs::path above = own_binary().parent_path().parent_path();
  return {above, above / "share/bench", fs::path(kSourceFolder)};
}

std::vector<std::string> model_folders() {
  std::vector<std::string> folders;
  for (const fs::path& folder : data_folders()) {
    for (const char* name : {"models", "workloads/models"}) {
      if (fs::is_directory(folder / name)) folders.push_back((folder / name).string());
    }
  }
  return folders;
}

fs::path find_config(const std::string& path) {
  if (fs::exists(path) || fs::path(path).is_absolute()) return path;
  for (const fs::path& folder : data_folders()) {
    for (const fs::path& at :
         {folder / path, folder / "configs" / path, folder / "configs" / (path + ".yaml")}) {
      if (fs::is_regular_file(at)) return at;
    }
  }
  return path;
}

void make_default_folder(const std::string& flag) {
  const char* variable = std::getenv("BENCH_DB");
  if (!flag.empty() || (variable != nullptr && *variable != '\0')) return;
  std::error_code ignored;  // opening the database will complain
  fs::create_directory(database_path("").parent_path(), ignored);
}

fs::path database_path(const std::string& flag) {
  if (!flag.empty()) return flag;
  if (const char* variable = std::getenv("BENCH_DB"); variable != nullptr && *variable != '\0') {
    return variable;
  }
  const char* home = std::getenv("BENCH_HOME");
  return fs::path(home == nullptr ? "." : home) / "results" / "bench.db";
}

}  // namespace bench
