#include "results/query.h"

#include <gtest/gtest.h>

#include "tests/results/errors.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

std::int64_t add_at(Store& store, double started, const std::string& name,
                    const std::string& tag = "") {
  RunRecord record = sample_run(1);
  record.info.name = name;
  record.info.tag = tag;
  record.info.started_unix_s = started;
  return store.add(record);
}

TEST(LoadRun, TrustsNoNumberOfReplicates) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  RunRecord record = sample_run(1);
  record.plan.at(0).replicates = 9'000'000'000'000'000'000;
  EXPECT_EQ(load_run(store, store.add(record), LoadSamples::yes).plan.at(0).replicates,
            9'000'000'000'000'000'000);
}

TEST(ListRuns, CountsWhatWasPlannedMeasuredAndFailed) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  RunRecord record = sample_run(2, 2);
  record.plan[3].skip = "pool does not fit";
  const std::int64_t run = store.add(record);
  store.add(run, sample_measurement(record.plan[0], 0));
  Measurement failed = sample_measurement(record.plan[1], 0);
  failed.status = Status::crashed;
  store.add(run, failed);
  add_at(store, 1.0, "older");
  const auto runs = list_runs(store);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].info.number, run);
  EXPECT_EQ(runs[0].cases, 3);
  EXPECT_EQ(runs[0].expected, 6);
  EXPECT_EQ(runs[0].measured, 2);
  EXPECT_EQ(runs[0].failed, 1);
  EXPECT_FALSE(runs[0].pinned);
  EXPECT_EQ(runs[1].info.name, "older");
  EXPECT_EQ(runs[1].measured, 0);
}

TEST(ListRuns, MarksOnlyTheNewestBaselineOfAConfiguration) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  std::vector<std::int64_t> runs;
  for (const double start : {1.0, 2.0, 3.0}) runs.push_back(add_at(store, start, "glm5"));
  for (const int i : {0, 2, 1}) {
    store.end(runs[static_cast<std::size_t>(i)], RunStatus::complete);
    store.accept_baseline(runs[static_cast<std::size_t>(i)], "");
  }
  const auto listed = list_runs(store);
  EXPECT_FALSE(listed[0].pinned);
  EXPECT_TRUE(listed[1].pinned);
  EXPECT_FALSE(listed[2].pinned);
}

TEST(ResolveRun, UnderstandsNumbersIdsTagsAndRelativeNames) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const std::int64_t first = add_at(store, 100, "glm5", "before");
  const std::int64_t second = add_at(store, 300, "glm5", "nightly");
  const std::int64_t third = add_at(store, 200, "other", "nightly");
  EXPECT_EQ(resolve_run(store, "2"), second);
  EXPECT_EQ(resolve_run(store, load_info(store, third).id), third);
  EXPECT_EQ(resolve_run(store, load_info(store, third).id.substr(0, 12)), third);
  EXPECT_EQ(resolve_run(store, "before"), first);
  EXPECT_EQ(resolve_run(store, "nightly"), second);
  EXPECT_EQ(resolve_run(store, "latest"), second);
  EXPECT_EQ(resolve_run(store, "latest~1"), third);
  EXPECT_EQ(resolve_run(store, "latest~1", "glm5"), first);
}

TEST(ResolveRun, SaysWhatThereIsWhenANameFitsNothing) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  EXPECT_EQ(error_of([&] { return resolve_run(store, "latest"); }),
            folder.file() + " holds no runs");
  add_at(store, 100, "glm5");
  EXPECT_EQ(error_of([&] { return resolve_run(store, "latest~1"); }),
            "latest~1: " + folder.file() + " holds 1 run (the oldest is latest~0)");
  EXPECT_EQ(error_of([&] { return resolve_run(store, "latest", "other"); }),
            folder.file() + " holds no runs of 'other'");
  EXPECT_NE(error_of([&] { return resolve_run(store, "pinned"); }).find("bench baseline accept"),
            std::string::npos);
  Exit exit = Exit::ok;
  for (const char* name : {"7", "latest~", "latest~x", "latestx", "-1", "", "' OR 1=1 --"}) {
    EXPECT_NE(error_of([&] { return resolve_run(store, name); }, &exit), "no error") << name;
    EXPECT_EQ(exit, Exit::usage);
  }
}

TEST(ResolveRun, RefusesAPrefixOfTwoIds) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  for (const char last : {'1', '2'}) {
    RunRecord record = sample_run(1);
    record.info.id = "abcdef" + std::string(25, '0') + last;
    store.add(record);
  }
  EXPECT_EQ(error_of([&] { return resolve_run(store, "abcd"); }),
            "'abcd' begins the id of more than one run: give more of it");
  EXPECT_EQ(resolve_run(store, "abcdef" + std::string(25, '0') + "2"), 2);
}

TEST(FindCases, TakesAnIdPrefixOrWordsOfTheIdentity) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const RunRecord record = measured_run(2);
  store.add(record);
  store.add(sample_run(1));
  EXPECT_EQ(find_cases(store, "").size(), 4u);
  EXPECT_EQ(find_cases(store, "native_fp8 context=2048").size(), 1u);
  EXPECT_EQ(find_cases(store, "native_fp8 context=9").size(), 0u);
  const std::string id = case_id(record.plan[0].what);
  const auto found = find_cases(store, id.substr(0, 8));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, id);
  EXPECT_EQ(found[0].runs, 2);
  EXPECT_EQ(found[0].what.parameters.context, 1024);
}

TEST(History, GivesEveryReplicateOldestRunFirstWithItsStatus) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  RunRecord record = measured_run(1, 2);
  record.info.started_unix_s = 200;
  store.add(record);
  record.info.started_unix_s = 100;
  record.measurements[1].status = Status::failed;
  record.measurements[1].reason = "no memory";
  record.measurements[1].metrics.clear();
  const std::int64_t older = store.add(record);
  const auto points = history(store, case_id(record.plan[0].what), "tpot_s");
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].run, older);
  EXPECT_EQ(points[0].value, 0.0956);
  EXPECT_EQ(points[0].version, 1);
  EXPECT_EQ(points[1].value, std::nullopt);
  EXPECT_EQ(points[1].status, Status::failed);
  EXPECT_EQ(points[1].reason, "no memory");
  EXPECT_EQ(points[3].replicate, 1);
  EXPECT_EQ(points[3].value, 0.0956 + 1e-4);
  EXPECT_TRUE(history(store, "0000000000000000", "tpot_s").empty());
}

}  // namespace
}  // namespace bench
