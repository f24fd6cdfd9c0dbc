#include "results/prune.h"

#include <gtest/gtest.h>

#include "harness/error.h"
#include "results/query.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

std::int64_t add_old_run(Store& store, double started, int samples) {
  RunRecord run = measured_run(1, 1, samples);
  run.measurements[0].requests = "records";
  run.info.started_unix_s = started;
  const std::int64_t number = store.add(run);
  store.end(number, RunStatus::complete);
  return number;
}

TEST(Prune, ThinsOldSamplesEvenlyAndKeepsAllElse) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const std::int64_t old = add_old_run(store, 1000, 101);
  const std::int64_t recent = add_old_run(store, 5000, 101);
  const PruneResult result = prune(store, {Seconds(1000), 3}, 3000);
  EXPECT_EQ(result.measurements, 2);
  const RunRecord thinned = load_run(store, old, LoadSamples::yes);
  EXPECT_EQ(thinned.measurements[0].samples_s,
            (std::vector<double>{0.0956, 0.0956 + 1e-6 * 50, 0.0956 + 1e-6 * 100}));
  EXPECT_EQ(thinned.measurements[0].sample_clock_hz.size(), 3u);
  EXPECT_EQ(thinned.measurements[0].metric("tpot_s"), 0.0956);
  EXPECT_EQ(thinned.measurements[0].requests, "");
  EXPECT_EQ(thinned.measurements[0].stages.size(), 2u);
  const RunRecord whole = load_run(store, recent, LoadSamples::yes);
  EXPECT_EQ(whole.measurements[0].samples_s.size(), 101u);
  EXPECT_EQ(whole.measurements[0].requests, "records");
  EXPECT_EQ(store.database().integer("SELECT min(sample_count) FROM measurements"), 101);
}

TEST(Prune, GivesTheSpaceBackAndIsDoneOnce) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  add_old_run(store, 1000, 20'000);
  const PruneResult result = prune(store, {Seconds(0), 0}, 3000);
  EXPECT_EQ(result.measurements, 2);
  EXPECT_GT(result.bytes, 500'000);
  EXPECT_EQ(prune(store, {Seconds(0), 0}, 3000).measurements, 0);
  EXPECT_EQ(store.database().text("PRAGMA integrity_check"), "ok");
}

TEST(Prune, LeavesTheNeighboursOfAChangeWhole) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  for (int night = 0; night < 24; ++night) {
    RunRecord run = measured_run(1, 1, 10);
    run.info.started_unix_s = 1000 + night;
    for (Measurement& m : run.measurements) {
      m.metrics[0].value = (night < 12 ? 0.1 : 0.11) + 1e-6 * (night % 3);
    }
    store.add(run);
  }
  const PruneResult planned = plan_prune(store, {Seconds(0), 0}, 3000);
  EXPECT_EQ(planned.spared, 2);
  EXPECT_EQ(planned.runs.size(), 22u);
  EXPECT_EQ(planned.bytes, 22 * 2 * 10 * 16 + 22 * 2 * 2);
  EXPECT_EQ(prune(store, {Seconds(0), 0}, 3000).measurements, 44);
  const auto samples = [&](std::int64_t run) {
    return load_run(store, run, LoadSamples::yes).measurements[0].samples_s.size();
  };
  EXPECT_EQ(samples(11), 0u);
  EXPECT_EQ(samples(12), 10u);
  EXPECT_EQ(samples(13), 10u);
  EXPECT_EQ(samples(14), 0u);
}

TEST(Prune, ForgetsWholeRunsOfOneConfigurationWhereAsked) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const std::int64_t old = add_old_run(store, 1000, 10);
  const std::int64_t recent = add_old_run(store, 2500, 10);
  const PruneRule other{
      .older_than = Seconds(100), .forget_after = Seconds(1000), .configuration = "x"};
  EXPECT_TRUE(prune(store, other, 3000).runs.empty());
  prune(store, {.older_than = Seconds(100), .forget_after = Seconds(1000)}, 3000);
  EXPECT_EQ(list_runs(store).size(), 1u);
  EXPECT_EQ(load_run(store, recent, LoadSamples::yes).measurements[0].samples_s.size(), 0u);
  EXPECT_THROW(load_info(store, old), Error);
}

TEST(Prune, LeavesThePinnedBaselineWhole) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const std::int64_t run = add_old_run(store, 1000, 10);
  store.accept_baseline(run, "");
  EXPECT_EQ(prune(store, {Seconds(0), 0}, 3000).measurements, 0);
}

}  // namespace
}  // namespace bench
