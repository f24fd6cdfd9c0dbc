#include "harness/app/shown_runs.h"

#include <algorithm>

#include "harness/app/report_of.h"

namespace bench {

std::shared_ptr<const ShownRun> ShownRuns::get(std::int64_t run, LoadSamples samples) {
  return find(run, samples).get();
}

// Deferred: the first thread that wants it loads it, the others wait for that.
ShownRuns::Shown ShownRuns::find(std::int64_t run, LoadSamples samples) {
  const std::scoped_lock lock(of_kept_);
  auto known = std::ranges::find_if(
      kept_, [&](const Kept& kept) { return kept.run == run && kept.samples >= samples; });
  if (known == kept_.end()) {
    if (kept_.size() == held_) kept_.pop_back();
    auto shown = std::async(std::launch::deferred, &ShownRuns::load, this, run, samples);
    known = kept_.insert(kept_.end(), {run, samples, shown.share()});
  }
  std::rotate(kept_.begin(), known, known + 1);
  return kept_.front().shown;
}

std::shared_ptr<const ShownRun> ShownRuns::load(std::int64_t run, LoadSamples samples) {
  const auto shown = std::make_shared<ShownRun>();
  {
    const std::scoped_lock lock(of_store_);
    shown->run = load_run(store_, run, samples);
  }
  shown->report = report_of(shown->run);
  shown->summary = summarize(shown->report);
  return shown;
}

}  // namespace bench
