#include "results/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "results/export.h"
#include "results/import.h"
#include "results/query.h"
#include "tests/results/errors.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

// All that a database holds, in words that do not depend on its row numbers.
std::string contents(const std::string& path) {
  Store store(path, Access::read);
  std::vector<std::string> parts;
  for (const auto& summary : list_runs(store)) {
    std::ostringstream out;
    RunRecord run = load_run(store, summary.info.number, LoadSamples::yes);
    for (auto& m : run.measurements) std::ranges::sort(m.metrics, {}, &Metric::name);
    export_run(out, run);
    parts.push_back(out.str() + (summary.pinned ? "pinned\n" : ""));
  }
  std::ranges::sort(parts);
  std::string all;
  for (const auto& part : parts) all += part;
  return all;
}

void merge_into(const std::string& target, const std::vector<std::string>& sources) {
  Store store(target, Access::write);
  for (const auto& source : sources) merge(store, source);
}

TEST(Merge, TheDatabaseOfOneHostMergesIntoAnothersTwiceWithoutDoubling) {
  const TestFolder folder;
  Store(folder.file("a.db"), Access::write).add(measured_run());
  Store(folder.file("b.db"), Access::write).add(measured_run(3));
  Store store(folder.file("a.db"), Access::write);
  const MergeResult first = merge(store, folder.file("b.db"));
  EXPECT_EQ(first.runs, 1);
  EXPECT_EQ(first.measurements, 12);
  const std::string once = contents(folder.file("a.db"));
  const MergeResult second = merge(store, folder.file("b.db"));
  EXPECT_EQ(second.runs + second.measurements, 0);
  EXPECT_EQ(contents(folder.file("a.db")), once);
  EXPECT_EQ(store.database().text("PRAGMA foreign_key_check"), "");
  EXPECT_EQ(store.database().integer("SELECT count(*) FROM cases"), 6);
}

TEST(Merge, CarriesEverythingARunHas) {
  const TestFolder folder;
  {
    Store b(folder.file("b.db"), Access::write);
    RunRecord record = measured_run();
    record.measurements[0].negative_control = true;
    record.measurements[1].requests = std::string("raw \0 bytes", 11);
    const std::int64_t run = b.add(record);
    b.end(run, RunStatus::complete);
    b.accept_baseline(run, "from b");
  }
  merge_into(folder.file("a.db"), {folder.file("b.db")});
  EXPECT_EQ(contents(folder.file("a.db")), contents(folder.file("b.db")));
  EXPECT_GT(contents(folder.file("a.db")).size(), 5000u);
}

// Three databases that share runs, in different states of completeness, in every order.
TEST(Merge, TheOrderDoesNotMatter) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3; ++round) {
    const TestFolder folder;
    std::vector<RunRecord> runs;
    for (int i = 0; i < 3; ++i) {
      RunRecord run = measured_run(1 + i, 2);
      run.info.id = new_run_id();
      run.info.started_unix_s = 1000 + i;
      run.info.host = "h";
      runs.push_back(run);
    }
    std::vector<std::string> sources;
    for (const char* name : {"a.db", "b.db", "c.db"}) {
      sources.push_back(folder.file(name));
      Store store(sources.back(), Access::write);
      for (RunRecord run : runs) {
        if (random() % 4 == 0) continue;
        run.info.status = random() % 2 == 0 ? RunStatus::interrupted : RunStatus::complete;
        if (random() % 2 == 0) run.info.ended_unix_s = 2000 + static_cast<double>(random() % 3);
        std::erase_if(run.measurements, [&](const Measurement&) { return random() % 2 == 0; });
        for (auto& m : run.measurements) {
          if (random() % 4 == 0) m.started_unix_s += static_cast<double>(random() % 3);
          m.metrics[0].value = m.started_unix_s;
          if (random() % 4 == 0) {
            m.samples_s.clear();
            m.sample_clock_hz.clear();
          }
        }
        const std::int64_t number = store.add(run);
        const bool accept = run.info.status == RunStatus::complete && random() % 2 == 0;
        if (accept) store.accept_baseline(number, "");
      }
    }
    std::string expected;
    int order = 0;
    do {
      const std::string target = folder.file("all" + std::to_string(order++) + ".db");
      merge_into(target, sources);
      if (expected.empty()) expected = contents(target);
      EXPECT_EQ(contents(target), expected) << "order " << order;
    } while (std::ranges::next_permutation(sources).found);
    EXPECT_GT(expected.size(), 3000u) << "round " << round;
  }
}

TEST(Merge, TheMeasurementBegunEarlierStays) {
  const TestFolder folder;
  RunRecord run = measured_run(1, 1);
  run.info.id = new_run_id();
  Store(folder.file("a.db"), Access::write).add(run);
  for (auto& m : run.measurements) {
    m.started_unix_s -= 10;
    m.metrics = {{"tpot_s", 7}};
  }
  Store(folder.file("b.db"), Access::write).add(run);
  merge_into(folder.file("a.db"), {folder.file("b.db")});
  Store store(folder.file("a.db"), Access::read);
  const auto measured = load_run(store, 1, LoadSamples::no).measurements;
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0].metrics.size(), 1u);
  EXPECT_EQ(measured[0].metric("tpot_s"), 7);
}

TEST(Merge, AnOlderDatabaseIsReadAndLeftAsItIs) {
  const TestFolder folder;
  {
    Database old(folder.file("old.db"), Access::write);
    old.execute("PRAGMA application_id = 1651401576");
  }
  merge_into(folder.file("a.db"), {folder.file("old.db")});
  EXPECT_EQ(Database(folder.file("old.db"), Access::read).integer("PRAGMA user_version"), 0);
}

TEST(Merge, NamesTheOtherFileWhenItCannotBeMergedAndChangesNothing) {
  const TestFolder folder;
  Store store(folder.file("a.db"), Access::write);
  store.add(measured_run());
  const std::string before = contents(folder.file("a.db"));
  const auto merge_error = [&](const std::string& path) {
    return error_of([&] { return merge(store, path).runs; });
  };
  EXPECT_EQ(merge_error(folder.file("none.db")),
            "there is no database at " + folder.file("none.db") + "; `bench run` makes one");
  std::ofstream(folder.file("text.db")) << "not a database";
  EXPECT_EQ(
      merge_error(folder.file("text.db")),
      folder.file("text.db") + " is no bench database (not an SQLite file); it was left untouched");
  EXPECT_EQ(merge_error(folder.file("a.db")),
            folder.file("a.db") + " cannot be merged into itself");
  Store(folder.file("new.db"), Access::write).database().execute("PRAGMA user_version = 9");
  EXPECT_NE(merge_error(folder.file("new.db")).find("use a bench that knows 9"), std::string::npos);
  Store(folder.file("torn.db"), Access::write).add(measured_run(30, 3, 200));
  std::filesystem::resize_file(folder.file("torn.db"), 150'000);
  EXPECT_TRUE(
      merge_error(folder.file("torn.db")).starts_with(folder.file("torn.db") + " is damaged"));
  EXPECT_EQ(contents(folder.file("a.db")), before);
}

}  // namespace
}  // namespace bench
