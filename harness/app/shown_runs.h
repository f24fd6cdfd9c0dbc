#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "dashboards/report.h"
#include "results/query.h"

namespace bench {

// A stored run as its pages show it: loaded and summarised once for all of them.
struct ShownRun {
  RunRecord run;
  RunReport report;
  RunSummary summary;
};

// The runs of a store, for several threads. The last `held` of those asked for are kept: a baseline
// that many runs have, or a run that is the baseline of the next.
class ShownRuns {
 public:
  ShownRuns(Store& store, std::size_t held) : store_(store), held_(held) {}

  // A run kept with its samples serves who asks for none.
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

  Store& store_;
  std::size_t held_;
  std::mutex of_store_, of_kept_;
  std::vector<Kept> kept_;  // the last asked for first
};

}  // namespace bench
