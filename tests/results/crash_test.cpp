#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "results/query.h"
#include "results/store.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

// Goes on with the run for ever, and writes the replicate it stored into the pipe once the store
// says that it is stored.
[[noreturn]] void write_for_ever(const std::string& path, int pipe_end) {
  Store store(path, Access::write, "test");
  RunRecord record = sample_run(1, 1'000'000);
  const auto interrupted = find_interrupted(store, record.info);
  const std::int64_t run = interrupted ? *interrupted : store.add(record);
  if (interrupted) store.resume(run);
  for (auto replicate = static_cast<std::int64_t>(stored_measurements(store, run).size());;
       ++replicate) {
    store.add(run, sample_measurement(record.plan[0], replicate, 400));
    if (write(pipe_end, &replicate, sizeof replicate) != sizeof replicate) _exit(1);
  }
}

// Kills a writer some time after it began, or after its first measurement if `first_one` is set;
// gives the replicates that it said were stored.
std::set<std::int64_t> kill_a_writer(const std::string& path, bool first_one,
                                     std::chrono::microseconds after) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    write_for_ever(path, ends[1]);
  }
  close(ends[1]);
  std::set<std::int64_t> acknowledged;
  std::int64_t replicate = 0;
  const auto next = [&] {
    return ::read(ends[0], &replicate, sizeof replicate) == sizeof replicate;
  };
  if (first_one && next()) acknowledged.insert(replicate);
  std::this_thread::sleep_for(after);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  while (next()) acknowledged.insert(replicate);
  close(ends[0]);
  return acknowledged;
}

TEST(Crash, AWriterKilledAtAnyMomentLosesAndDoublesNothing) {
  const TestFolder folder;
  std::mt19937_64 random(1);
  std::set<std::int64_t> acknowledged;
  for (int kills = 0; kills < 30; ++kills) {
    const auto after = std::chrono::microseconds(random() % 30'000);
    acknowledged.merge(kill_a_writer(folder.file(), kills % 3 != 0, after));
    if (!std::filesystem::exists(folder.file())) continue;
    Store store(folder.file(), Access::write, "check");
    ASSERT_EQ(store.database().text("PRAGMA integrity_check"), "ok") << "kill " << kills;
    const auto runs = list_runs(store);
    if (runs.empty()) continue;
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].info.status, RunStatus::interrupted);
    std::set<std::int64_t> stored;
    for (const auto& key : stored_measurements(store, 1)) stored.insert(key.replicate);
    EXPECT_EQ(static_cast<std::int64_t>(stored.size()), runs[0].measured);
    EXPECT_TRUE(std::ranges::includes(stored, acknowledged)) << "kill " << kills;
    for (const auto& m : load_run(store, 1, LoadSamples::yes).measurements) {
      ASSERT_EQ(m.samples_s.size(), 400u);
      ASSERT_EQ(m.metrics.size(), 2u);
    }
  }
  EXPECT_GT(acknowledged.size(), 5u);
}

TEST(Crash, AReaderAlwaysSeesWholeMeasurementsWhileAWriterWrites) {
  const TestFolder folder;
  Store(folder.file(), Access::write);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) write_for_ever(folder.file(), ends[1]);
  std::size_t seen = 0;
  Store store(folder.file(), Access::read);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < deadline) {
    if (list_runs(store).empty()) continue;
    const RunRecord run = load_run(store, 1, LoadSamples::yes);
    EXPECT_GE(run.measurements.size(), seen);
    seen = run.measurements.size();
    for (const auto& m : run.measurements) {
      ASSERT_EQ(m.samples_s.size(), 400u);
      ASSERT_EQ(m.stages.size(), 2u);
      ASSERT_EQ(m.metrics.size(), 2u);
    }
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_GT(seen, 0u);
}

}  // namespace
}  // namespace bench
