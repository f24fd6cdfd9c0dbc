#include "harness/app/shown_runs.h"

#include <algorithm>

#include "harness/app/report_of.h"

namespace bench {

std::shared_ptr<const ShownRun> ShownRuns::get(std::int64_t run, LoadSamples samples) {
  return find(run, samples).get();
}

// Deferred: the first thread that wants it loads it, the others wait for that.
ShownRuns::Shown ShownRuns::find(std::int64_t run, LoadSamples samples) {
  Kept dropped{};  // freed when the others may go on
  const std::scoped_lock lock(mutex_);
  auto known = std::ranges::find_if(
      kept_, [&](const Kept& kept) { return kept.run == run && kept.samples == samples; });
  if (known == kept_.end()) {
    if (kept_.size() == held_) {
      dropped = std::move(kept_.back());
      kept_.pop_back();
    }
    auto shown = std::async(std::launch::deferred, &ShownRuns::load, this, run, samples);
    known = kept_.insert(kept_.end(), {run, samples, shown.share()});
  }
  std::rotate(kept_.begin(), known, known + 1);
  return kept_.front().shown;
}

std::shared_ptr<const ShownRun> ShownRuns::load(std::int64_t run, LoadSamples samples) {
  const auto shown = std::make_shared<ShownRun>();
  shown->run = read(run, samples);
  shown->sides = sides_of(shown->run);
  std::vector<Measurement> measurements = std::exchange(shown->run.measurements, {});
  shown->report = report_of(shown->run);
  shown->report.measurements = std::move(measurements);  // where they lie: the sides point there
  shown->summary = summarize(shown->report);
  return shown;
}

RunRecord ShownRuns::read(std::int64_t run, LoadSamples samples) {
  std::unique_ptr<Store> store;
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      store = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!store) store = std::make_unique<Store>(database_, Access::read);
  RunRecord record = load_run(*store, run, samples);
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(store));
  return record;
}

}  // namespace bench
