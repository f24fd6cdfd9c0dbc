#pragma once

#include <cstdint>
#include <string>

#include "results/store.h"

namespace bench {

// What a merge added.
struct MergeResult {
  std::int64_t runs = 0;
  std::int64_t measurements = 0;
};

// Adds everything in the database at `path` that the store lacks, in one transaction; the other
// file is only read. Twice gives what once gives, and the order of several merges does not matter:
// runs are told apart by their id, and where both have one measurement, the one begun earlier
// stays. Throws Error that names the other file if it is damaged, newer or no bench database.
MergeResult merge(Store& store, const std::string& path);

// A folder for files of one call, removed at its end.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace bench
