#include "results/import.h"

#include <gtest/gtest.h>

#include <fstream>

#include "results/query.h"
#include "tests/results/errors.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

constexpr const char* kGoogle = R"({
  "context": {
    "date": "2026-11-29T22:00:51+01:00",
    "host_name": "box",
    "executable": "build/micro_store",
    "num_cpus": 2,
    "cpu_scaling_enabled": false,
    "library_build_type": "release",
    "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 2}]
  },
  "benchmarks": [
    {"name": "insert/100/repeats:2", "run_name": "insert/100", "run_type": "iteration", "repetitions": 2,
     "repetition_index": 1, "threads": 1, "iterations": 1000, "real_time": 2.5, "cpu_time": 1.5,
     "time_unit": "us", "bytes_per_second": 1.0e+09, "rows": 7, "rate": NaN},
    {"name": "insert/100/repeats:2", "run_name": "insert/100", "run_type": "iteration", "repetitions": 2,
     "repetition_index": 0, "threads": 1, "iterations": 1000, "real_time": 2.75, "cpu_time": 1.25,
     "time_unit": "us", "label": "NaN in a text"},
    {"name": "insert/100_mean", "run_name": "insert/100", "run_type": "aggregate", "aggregate_name": "mean",
     "real_time": 2.6, "cpu_time": 1.4, "time_unit": "us"},
    {"name": "list_median", "run_name": "list", "run_type": "aggregate", "aggregate_name": "median",
     "repetitions": 5, "real_time": 3, "cpu_time": 2, "time_unit": "ms"},
    {"name": "list_cv", "run_name": "list", "run_type": "aggregate", "aggregate_name": "cv",
     "aggregate_unit": "percentage", "real_time": 0.01, "cpu_time": Infinity, "time_unit": "ms"},
    {"name": "broken", "run_name": "broken", "run_type": "iteration", "error_occurred": true,
     "error_message": "no database", "time_unit": "ns"}
  ]
})";

TEST(GoogleBenchmark, RepetitionsBecomeReplicatesAndCountersMetrics) {
  const RunRecord run = from_google_benchmark(kGoogle, "out.json");
  EXPECT_EQ(run.info.name, "micro_store");
  EXPECT_EQ(run.info.host, "box");
  EXPECT_EQ(run.info.started_unix_s, 1'795'986'051);
  ASSERT_EQ(run.plan.size(), 3u);
  EXPECT_EQ(run.plan[0].what.runner, "google_benchmark");
  EXPECT_EQ(run.plan[0].what.variant, "insert/100");
  EXPECT_EQ(run.plan[0].label, "100");
  EXPECT_EQ(run.plan[0].replicates, 2);
  ASSERT_EQ(run.measurements.size(), 4u);
  const Measurement& first = run.measurements[0];
  EXPECT_EQ(first.metric("real_time_s"), 2.5e-6);
  EXPECT_EQ(first.metric("cpu_time_s"), 1.5e-6);
  EXPECT_EQ(first.metric("bytes_per_s"), 1e9);
  EXPECT_EQ(first.metric("rows"), 7);
  EXPECT_EQ(first.metric("rate"), std::nullopt);
  EXPECT_EQ(first.reason, "rate is not a finite number and is left out");
  EXPECT_EQ(run.measurements[1].replicate, 1);
  EXPECT_EQ(run.measurements[1].reason, "");
}

TEST(GoogleBenchmark, AnAggregateIsReadWhereThereIsNothingElse) {
  const RunRecord run = from_google_benchmark(kGoogle, "out.json");
  const Measurement& list = run.measurements[3];
  EXPECT_EQ(list.what.variant, "list");
  EXPECT_EQ(list.metric("real_time_s"), 3e-3);
  EXPECT_EQ(list.reason, "the median of 5 repetitions");
}

TEST(GoogleBenchmark, AFailedBenchmarkKeepsItsMessage) {
  const RunRecord run = from_google_benchmark(kGoogle, "out.json");
  EXPECT_EQ(run.measurements[2].status, Status::failed);
  EXPECT_EQ(run.measurements[2].reason, "no database");
  EXPECT_TRUE(run.measurements[2].metrics.empty());
}

TEST(GoogleBenchmark, WhatIsBrokenIsNamedWithItsPlace) {
  EXPECT_EQ(error_of([&] {
              return from_google_benchmark(std::string(kGoogle).substr(0, 700), "out.json");
            }),
            "out.json:16:2: not JSON: the text ends in the middle: was its writer stopped?");
  EXPECT_EQ(error_of([&] {
              return from_google_benchmark(R"({"context": {}, "benchmarks": []})", "out.json");
            }),
            "out.json holds no benchmark");
  EXPECT_EQ(
      error_of([&] {
        return from_google_benchmark(
            R"({"context": {}, "benchmarks": [{"name": "a", "real_time": 1, "cpu_time": 1, "time_unit": "h"}]})",
            "out.json");
      }),
      "out.json: benchmarks[0].time_unit: ns, us, ms or s is needed");
}

TEST(GoogleBenchmark, ImportedTwiceIsStoredOnce) {
  const TestFolder folder;
  std::ofstream(folder.file("out.json")) << kGoogle;
  Store store(folder.file(), Access::write);
  const std::int64_t run = add_or_complete(store, read_run_file(folder.file("out.json")));
  EXPECT_EQ(add_or_complete(store, read_run_file(folder.file("out.json"))), run);
  const RunRecord back = load_run(store, run, LoadSamples::yes);
  EXPECT_EQ(back.measurements.size(), 4u);
  EXPECT_EQ(back.measurements[1].metric("real_time_s"), 2.75e-6);
  EXPECT_EQ(history(store, case_id(back.plan[0].what), "rows").at(0).value, 7);
}

constexpr const char* kNvbench = R"({
  "meta": {"argv": ["bin/axes", "--json", "x.json"],
           "version": {"json": {"string": "1.0.0"}, "nvbench": {"string": "0.1.0", "git_version": "old-63-g348acbd"}}},
  "devices": [{"id": 0, "name": "Quadro GV100", "sm_version": 700}],
  "benchmarks": [{"name": "copy", "index": 0, "axes": null, "states": [
    {"name": "Device=0 T=U8", "device": 0, "is_skipped": false, "summaries": [
      {"tag": "nv/cold/time/gpu/mean", "name": "GPU Time", "hint": "duration",
       "data": [{"name": "value", "type": "float64", "value": "0.0010034715849794225"}]},
      {"tag": "nv/cold/bw/global/bytes_per_second", "name": "BW", "hint": "byte_rate",
       "data": [{"name": "value", "type": "float64", "value": "6.5e11"}]},
      {"tag": "nv/cold/sample_size", "name": "Samples", "hint": "sample_size",
       "data": [{"name": "value", "type": "int64", "value": "499"}]},
      {"tag": "nv/cold/time/cpu/mean", "name": "CPU Time", "hint": "duration",
       "data": [{"name": "value", "type": "float64", "value": "inf"}]},
      {"tag": "nv/json/bin:nv/cold/sample_times", "name": "Samples Times File", "hint": "file/sample_times",
       "data": [{"name": "filename", "type": "string", "value": "x.json-bin/0.bin"},
                {"name": "size", "type": "int64", "value": "2"}]}]},
    {"name": "Device=0 T=I8", "device": 0, "summaries": null, "is_skipped": true, "skip_reason": "narrowing"}
  ]}]
})";

TEST(Nvbench, StatesBecomeCasesAndSummariesMetrics) {
  const TestFolder folder;
  std::ofstream(folder.file("x.json")) << kNvbench;
  std::filesystem::create_directory(folder.file("x.json-bin"));
  std::ofstream(folder.file("x.json-bin/0.bin"), std::ios::binary)
      << std::string("\x00\x00\x80\x3e\x00\x00\x00\x3f", 8);  // 0.25f, 0.5f
  const RunRecord run = read_run_file(folder.file("x.json"));
  EXPECT_EQ(run.info.name, "axes");
  EXPECT_EQ(run.devices.at(0).name, "Quadro GV100");
  ASSERT_EQ(run.measurements.size(), 2u);
  const Measurement& m = run.measurements[0];
  EXPECT_EQ(m.what.variant, "copy/Device=0 T=U8");
  EXPECT_EQ(m.metric("gpu_time_s"), 0.0010034715849794225);
  EXPECT_EQ(m.metric("bytes_per_s"), 6.5e11);
  EXPECT_EQ(m.metric("nv/cold/sample_size"), 499);
  EXPECT_EQ(m.metric("cpu_time_s"), std::nullopt);
  EXPECT_EQ(m.reason, "nv/cold/time/cpu/mean is inf and is left out");
  EXPECT_EQ(m.samples_s, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(run.measurements[1].status, Status::skipped);
  EXPECT_EQ(run.measurements[1].reason, "narrowing");
}

TEST(Nvbench, SaysThatTheSamplesAreNotThere) {
  const RunRecord run = from_nvbench(kNvbench, "/nowhere/x.json");
  EXPECT_TRUE(run.measurements[0].samples_s.empty());
  EXPECT_EQ(run.measurements[0].reason,
            "nv/cold/time/cpu/mean is inf and is left out; x.json-bin/0.bin was not found and is "
            "left out");
}

TEST(Import, NamesAFileThatHoldsNoRun) {
  const TestFolder folder;
  std::ofstream(folder.file("a.json")) << "{\"traceEvents\": []}";
  EXPECT_EQ(
      error_of([&] { return read_run_file(folder.file("a.json")); }),
      folder.file("a.json") +
          " holds no run: an export of bench, Google Benchmark's or nvbench's JSON is needed");
  std::ofstream(folder.file("b.json")) << "[1, 2]";
  EXPECT_EQ(error_of([&] { return read_run_file(folder.file("b.json")); }),
            folder.file("b.json") + ": an object is needed");
  EXPECT_EQ(error_of([&] { return read_run_file(folder.file("c.json")); }),
            folder.file("c.json") + " cannot be read");
}

}  // namespace
}  // namespace bench
