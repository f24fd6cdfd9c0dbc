#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "dashboards/report.h"
#include "results/query.h"
#include "results/side.h"

namespace bench {

// A stored run as its pages show it: loaded and summarised once for all of them.
struct ShownRun {
  RunRecord run;  // less its measurements: they are in the report
  RunReport report;
  Sides sides;
  RunSummary summary;
};

// The runs of a store, for several threads: each reads by a connection of its own. The last `held`
// of those asked for are kept: a baseline that many runs have, or a run that is the baseline of the
// next.
class ShownRuns {
 public:
  ShownRuns(std::string database, std::size_t held) : database_(std::move(database)), held_(held) {}

  // With samples a clock is that of each of them: runs are compared with or without, not mixed.
  std::shared_ptr<const ShownRun> get(std::int64_t run, LoadSamples samples);

 private:
  using Shown = std::shared_future<std::shared_ptr<const ShownRun>>;
  struct Kept {
    std::int64_t run;
    LoadSamples samples;
    Shown shown;
  };
  Shown find(std::int64_t run, LoadSamples samples);
  std::shared_ptr<const ShownRun> load(std::int64_t run, LoadSamples samples);
  RunRecord read(std::int64_t run, LoadSamples samples);

  std::string database_;
  std::size_t held_;
  std::mutex mutex_;        // of what follows
  std::vector<Kept> kept_;  // the last asked for first
  std::vector<std::unique_ptr<Store>> idle_;
};

}  // namespace bench
