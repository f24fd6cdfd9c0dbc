#include "results/prune.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

// Prunes in a process that the system kills at the first byte that it writes behind `limit` in any
// file, as SIGKILL would. True: it was killed.
bool is_killed_when_pruning(const std::string& path, rlim_t limit) {
  const pid_t child = fork();
  if (child == 0) {
    Store store(path, Access::write);
    const rlimit none{0, 0};
    const rlimit bytes{limit, limit};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &bytes);
    signal(SIGXFSZ, SIG_DFL);
    prune(store, {Seconds(0), 3}, 3000);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ;
}

// How many runs are pruned; each is, or is whole.
int count_pruned(Store& store) {
  int pruned = 0;
  for (const RunLine& line : list_runs(store)) {
    const RunRecord run = load_run(store, line.info.number, LoadSamples::yes);
    const std::size_t kept = run.measurements.at(0).samples_s.size();
    EXPECT_TRUE(kept == 3 || kept == 2000) << kept;
    pruned += kept == 3 ? 1 : 0;
    for (const Measurement& m : run.measurements) {
      EXPECT_EQ(m.samples_s.size(), kept);
      EXPECT_EQ(m.sample_clock_hz.size(), kept);
      EXPECT_EQ(m.requests.empty(), kept == 3);
      EXPECT_EQ(m.metrics.size(), 2U);
    }
  }
  return pruned;
}

TEST(Prune, KilledInItsTransactionHasDoneNothingOfItAndIsFinishedByTheNext) {
  const TestFolder folder;
  constexpr int kRuns = 4;
  {
    Store store(folder.file(), Access::write);
    for (int i = 0; i < kRuns; ++i) add_old_run(store, 1000 + i, 2000);
  }
  const std::filesystem::path journal = folder.file("bench.db-journal");
  const std::uintmax_t size = std::filesystem::file_size(folder.file());
  int before = 0;
  int kills_in_the_journal = 0;
  int kills_in_the_file = 0;
  for (rlim_t limit = 4096; limit < size; limit += 16'384) {
    if (!is_killed_when_pruning(folder.file(), limit)) continue;
    // What it had of a transaction is there for the next to undo.
    const std::uintmax_t undone = std::filesystem::file_size(journal);
    ASSERT_GT(undone, 0U) << "killed outside of a transaction, at " << limit;
    (undone >= limit ? kills_in_the_journal : kills_in_the_file) += 1;
    Store store(folder.file(), Access::write);
    EXPECT_EQ(store.database().text("PRAGMA integrity_check"), "ok") << limit;
    EXPECT_EQ(store.database().text("PRAGMA foreign_key_check"), "");
    const int after = count_pruned(store);
    EXPECT_GE(after, before);
    EXPECT_LT(after, kRuns);
    before = after;
  }
  EXPECT_GT(kills_in_the_journal, 0);
  EXPECT_GT(kills_in_the_file, 3);
  Store store(folder.file(), Access::write);
  prune(store, {Seconds(0), 3}, 3000);
  EXPECT_EQ(count_pruned(store), kRuns);
  EXPECT_LT(std::filesystem::file_size(folder.file()), size * 2 / 3);
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
