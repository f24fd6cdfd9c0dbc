#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dashboards/site.h"

namespace bench {

// What a site said of runs that do not change any more, kept beside its pages: a year of nights is
// not compared again every night. A file that cannot be read is as good as none.
class SiteMemory {
 public:
  explicit SiteMemory(std::filesystem::path file) : file_(std::move(file)) {}

  void load();
  // `key`: the run and what it is compared with. Fills verdict, worst and warnings.
  bool recall(const std::string& key, SiteRun& run);
  void keep(const std::string& key, const SiteRun& run);
  void save() const;  // of what was asked for or kept since load()

 private:
  struct Said {
    std::string verdict;
    std::string worst;  // empty: not compared
    std::vector<std::string> warnings;
    bool used = false;
  };
  std::filesystem::path file_;
  std::map<std::string, Said> said_;
};

}  // namespace bench
