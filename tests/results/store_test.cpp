#include "results/store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "results/query.h"
#include "results/unfinished_requests.h"
#include "tests/results/errors.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

std::vector<std::string> lines_of(const std::vector<Measurement>& measurements) {
  std::vector<std::string> lines;
  for (Measurement m : measurements) {
    for (auto& metric : m.metrics) metric.version = 1;
    lines.push_back(to_json(m));
  }
  return lines;
}

TEST(Store, ARunComesBackAsItWasStored) {
  const TestFolder folder;
  const RunRecord record = measured_run();
  std::int64_t run = 0;
  {
    Store store(folder.file(), Access::write);
    run = store.add(record);
    store.end(run, RunStatus::complete);
  }
  Store store(folder.file(), Access::read);
  const RunRecord back = load_run(store, run, LoadSamples::yes);
  EXPECT_EQ(back.info.name, "glm5");
  EXPECT_EQ(back.info.id.size(), 32u);
  EXPECT_EQ(back.info.status, RunStatus::complete);
  EXPECT_GT(back.info.started_unix_s, 1.7e9);
  EXPECT_GE(back.info.ended_unix_s.value(), back.info.started_unix_s);
  EXPECT_EQ(back.info.fingerprint, fingerprint(record.environment));
  EXPECT_EQ(back.environment.size(), 2u);
  EXPECT_EQ(back.devices.at(0).copy_bytes_per_s, 4.07e12);
  ASSERT_EQ(back.plan.size(), 4u);
  EXPECT_EQ(back.plan[2].label, "context 2k");
  EXPECT_EQ(back.plan[2].axes, std::vector<std::string>{"context"});
  EXPECT_TRUE(back.plan[2].is_baseline);
  EXPECT_FALSE(back.plan[3].is_baseline);
  EXPECT_EQ(back.plan[3].what.parameters.rest_of_step_s, 0.031);
  EXPECT_EQ(lines_of(back.measurements), lines_of(record.measurements));
}

TEST(Store, KeepsRequestsOfACaseUntilItIsDone) {
  const TestFolder folder;
  const RunRecord record = sample_run();
  const PlannedCase& planned = record.plan[1];
  Store store(folder.file(), Access::write);
  const std::int64_t run = store.add(record);
  const MeasurementKey key{planned.workload, case_id(planned.what), 1};
  keep_requests(store, run, key, "one,");
  keep_requests(store, run, key, std::string("t\0o,", 4));
  keep_requests(store, run, {key.workload, key.case_id, 0}, "another replicate's");
  const std::vector<Unfinished> kept = load_unfinished(store, run);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].records, "another replicate's");
  EXPECT_EQ(kept[1].records, std::string("one,t\0o,", 8));
  EXPECT_EQ(kept[1].label, planned.label);

  Measurement m = sample_measurement(planned, 1);
  m.requests = "three";
  store.add(run, m);
  EXPECT_EQ(load_unfinished(store, run).size(), 1u);
  EXPECT_EQ(load_run(store, run, LoadSamples::yes).measurements.at(0).requests,
            std::string("one,t\0o,three", 13));
  store.end(run, RunStatus::interrupted);
  store.resume(run);  // what is measured anew replaces what was kept
  EXPECT_TRUE(load_unfinished(store, run).empty());
}

TEST(Store, LeavesSamplesOutWhenNotAskedForThem) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const std::int64_t run = store.add(measured_run());
  const RunRecord back = load_run(store, run, LoadSamples::no);
  EXPECT_TRUE(back.measurements.at(0).samples_s.empty());
  EXPECT_EQ(back.measurements.at(0).metric("tpot_s"), 0.0956);
}

TEST(Store, KeepsEarlierCasesWhenALaterOneFails) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const RunRecord record = sample_run();
  const std::int64_t run = store.add(record);
  store.add(run, sample_measurement(record.plan[0], 0));
  Measurement bad = sample_measurement(record.plan[0], 1);
  bad.metrics.push_back({"ttft_s", std::nan("")});
  EXPECT_EQ(error_of([&] { return store.add(run, bad), 0; }),
            "nan cannot be stored: not a finite number");
  EXPECT_EQ(stored_measurements(store, run).size(), 1u);
  store.add(run, sample_measurement(record.plan[0], 1));
  EXPECT_EQ(stored_measurements(store, run).size(), 2u);
}

TEST(Store, RefusesEveryNonFiniteNumberAndStoresNothingOfIt) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const RunRecord record = sample_run();
  const std::int64_t run = store.add(record);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (int field = 0; field < 6; ++field) {
      Measurement m = sample_measurement(record.plan[0], 0);
      if (field == 0) m.samples_s[1] = bad;
      if (field == 1) m.sample_clock_hz[1] = bad;
      if (field == 2) m.stages[0].seconds = bad;
      if (field == 3) m.metrics[0].value = bad;
      if (field == 4) m.telemetry.power_w = bad;
      if (field == 5) m.wall_s = bad;
      EXPECT_THROW(store.add(run, m), Error) << field;
    }
  }
  EXPECT_EQ(store.database().integer("SELECT count(*) FROM measurements"), 0);
  EXPECT_EQ(store.database().integer("SELECT count(*) FROM samples"), 0);
}

TEST(Store, RefusesASecondMeasurementOfTheSameReplicate) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const RunRecord record = measured_run();
  const std::int64_t run = store.add(record);
  EXPECT_THROW(store.add(run, record.measurements[0]), Error);
  EXPECT_EQ(stored_measurements(store, run).size(), record.measurements.size());
}

TEST(Store, RefusesACaseThatTheRunDidNotPlan) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  RunRecord record = sample_run();
  const std::int64_t run = store.add(record);
  Measurement m = sample_measurement(record.plan[0], 0);
  m.workload = "pool_size";
  EXPECT_NE(
      error_of([&] { return store.add(run, m), 0; }).find("did not plan the case runner=kernel"),
      std::string::npos);
}

TEST(Store, OneCaseInTwoWorkloadsOfARunIsMeasuredInEach) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  RunRecord record = sample_run(1);
  PlannedCase again = record.plan[0];
  again.workload = "pool_size";
  record.plan.push_back(again);
  const std::int64_t run = store.add(record);
  store.add(run, sample_measurement(record.plan[0], 0));
  store.add(run, sample_measurement(again, 0));
  EXPECT_EQ(store.database().integer("SELECT count(*) FROM cases"), 2);
  EXPECT_EQ(stored_measurements(store, run).size(), 2u);
}

TEST(Store, AnIncorrectResultKeepsNoSpeed) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const RunRecord record = sample_run();
  const std::int64_t run = store.add(record);
  Measurement m = sample_measurement(record.plan[0], 0);
  m.status = Status::incorrect;
  EXPECT_THROW(store.add(run, m), Error);
  m.samples_s.clear();
  m.sample_clock_hz.clear();
  store.add(run, m);
  EXPECT_EQ(load_run(store, run, LoadSamples::yes).measurements.at(0).status, Status::incorrect);
}

TEST(Store, ARunThatItsWriterLeftIsInterruptedAndCanGoOn) {
  const TestFolder folder;
  const RunRecord record = sample_run();
  std::int64_t run = 0;
  {
    Store store(folder.file(), Access::write);
    run = store.add(record);
    store.add(run, sample_measurement(record.plan[1], 1));
    EXPECT_EQ(load_info(store, run).status, RunStatus::running);
    EXPECT_EQ(find_interrupted(store, record.info), std::nullopt);
  }
  Store store(folder.file(), Access::write);
  EXPECT_EQ(load_info(store, run).status, RunStatus::interrupted);
  EXPECT_EQ(find_interrupted(store, record.info), run);
  RunInfo other = record.info;
  other.plan_source += "# changed";
  EXPECT_EQ(find_interrupted(store, other), std::nullopt);
  store.resume(run);
  EXPECT_EQ(load_info(store, run).status, RunStatus::running);
  const auto stored = stored_measurements(store, run);
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0], (MeasurementKey{"single_stream", case_id(record.plan[1].what), 1}));
}

TEST(Store, ANumberIsNeverGivenTwice) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const std::int64_t first = store.add(measured_run());
  store.database().execute("DELETE FROM runs");
  EXPECT_EQ(store.database().integer("SELECT count(*) FROM metrics"), 0);
  EXPECT_EQ(store.add(sample_run()), first + 1);
}

TEST(Store, SecretsDoNotReachTheFile) {
  setenv("BENCH_TEST_API_KEY", "open-sesame-1234", 1);
  const TestFolder folder;
  {
    Store store(folder.file(), Access::write);
    RunRecord record = sample_run(1);
    record.info.argv = "bench run x.yaml --set api_key=open-sesame-1234";
    record.info.notes = "key is open-sesame-1234";
    record.info.plan_source = "headers: {Authorization: Bearer open-sesame-1234}";
    record.environment.push_back(
        {"server.before.arguments", "--api-key open-sesame-1234", FactRole::machine});
    record.plan[0].what.parameters.endpoint = "http://me:open-sesame-1234@host:30000";
    const std::int64_t run = store.add(record);
    Measurement m = sample_measurement(record.plan[0], 0);
    m.status = Status::failed;
    m.reason = "401: bad key open-sesame-1234";
    store.add(run, m);
    EXPECT_EQ(load_run(store, run, LoadSamples::no).plan[0].what.parameters.endpoint,
              "http://***@host:30000");
  }
  unsetenv("BENCH_TEST_API_KEY");
  std::ifstream file(folder.file(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_GT(bytes.size(), 8192u);
  EXPECT_EQ(bytes.find("open-sesame"), std::string::npos);
}

TEST(Store, AnotherConnectionSeesAMeasurementAsSoonAsItIsStored) {
  const TestFolder folder;
  Store writer(folder.file(), Access::write);
  const RunRecord record = sample_run();
  const std::int64_t run = writer.add(record);
  Store reader(folder.file(), Access::read);
  for (std::int64_t r = 0; r < 2; ++r) {
    writer.add(run, sample_measurement(record.plan[0], r));
    EXPECT_EQ(stored_measurements(reader, run).size(), static_cast<std::size_t>(r + 1));
  }
}

TEST(Store, AReaderCannotChangeTheFile) {
  const TestFolder folder;
  Store(folder.file(), Access::write).add(sample_run());
  Store reader(folder.file(), Access::read);
  EXPECT_THROW(reader.add(sample_run()), Error);
}

TEST(Store, ABaselineMovesOnlyToACompleteRunAndOnlyWhenAccepted) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const std::int64_t first = store.add(measured_run());
  EXPECT_EQ(error_of([&] { return store.accept_baseline(first, "try"), 0; }),
            format("run {} is running: only a complete run can be a baseline", first));
  store.end(first, RunStatus::complete);
  store.accept_baseline(first, "driver 595");
  const std::int64_t second = store.add(measured_run());
  store.end(second, RunStatus::complete);
  EXPECT_EQ(resolve_run(store, "pinned"), first);
  ASSERT_EQ(list_baselines(store).size(), 1u);
  EXPECT_EQ(list_baselines(store)[0].notes, "driver 595");
  store.accept_baseline(second, "faster append");
  EXPECT_EQ(resolve_run(store, "pinned", "glm5"), second);
  EXPECT_EQ(list_baselines(store).size(), 1u);
  EXPECT_EQ(error_of([&] { return store.accept_baseline(99, ""), 0; }), "there is no run 99");
}

TEST(Store, AMetricKeepsTheVersionOfItsDefinition) {
  const TestFolder folder;
  Store store(folder.file(), Access::write);
  const RunRecord record = sample_run();
  const std::int64_t run = store.add(record);
  Measurement m = sample_measurement(record.plan[0], 0);
  m.metrics = {{"tpot_s", 0.1}, {"ttft_s", 0.2, 7}, {"cache_misses", 3}};
  store.add(run, m);
  const auto back = load_run(store, run, LoadSamples::no).measurements.at(0).metrics;
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[0].version, 1);
  EXPECT_EQ(back[1].version, 7);
  EXPECT_EQ(back[2].version, 0);
}

}  // namespace
}  // namespace bench
