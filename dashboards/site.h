#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dashboards/report.h"
#include "dashboards/trend.h"

namespace bench {

// The index of many runs, rebuilt each night. Links are relative: the folder can be moved.

struct SiteRun {
  RunFacts run{};
  double started_unix_s = 0;
  std::string status{};        // complete, interrupted, running
  std::string page{};          // file of its report, beside the index
  std::string compare_page{};  // of its comparison with its baseline; empty: there is none
  std::string against{};       // that baseline: "run 3, pinned"
  std::string verdict{};       // of that comparison, one sentence
  std::optional<Word> worst{};
  bool pinned = false;  // the accepted baseline
};

struct Site {
  std::string title{};
  std::vector<SiteRun> runs{};  // newest first
  std::vector<Trend> trends{};
  std::string generated{};
};

std::string site_html(const Site& site);

}  // namespace bench
