#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bench {

// The running program, for starting workers of it.
std::filesystem::path own_binary();

// Folders that may hold configs/ and models/, best first: beside a bundle's bin/, in an
// installation's share/, in the source tree it was built from.
std::vector<std::filesystem::path> data_folders();

// Where presets of models are: models/ of a bundle or installation, workloads/models/ of the tree.
std::vector<std::string> model_folders();

// `path` as given, or below one of data_folders() when it does not exist as given and is relative:
// `bench run configs/quickstart.yaml` works from any directory, and so does `bench run quickstart`.
std::filesystem::path find_config(const std::string& path);

// --db, else BENCH_DB, else results/bench.db below BENCH_HOME (set by the launcher) or the
// current directory.
std::filesystem::path database_path(const std::string& flag);

// Makes the folder `results` of a database that nobody named. A folder that was named must exist:
// a slip of the pen is no wish for a new one.
void make_default_folder(const std::string& flag);

}  // namespace bench
