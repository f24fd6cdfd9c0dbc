#pragma once

#include <filesystem>
#include <optional>

#include "harness/units.h"
#include "results/store.h"

namespace bench {

struct SiteOptions {
  std::filesystem::path folder;      // made when it is not there
  bool rebuild = false;              // write pages again that are there
  std::optional<Seconds> keep = {};  // pages of runs older than this, by the newest, are removed
};

// Writes the site of a store: index.html, and a page a run and a comparison with its baseline (the
// pinned run of its configuration, else the run before). Pages of complete runs never change and
// are written once. Returns the index.
std::filesystem::path write_site(Store& store, const SiteOptions& options);

}  // namespace bench
