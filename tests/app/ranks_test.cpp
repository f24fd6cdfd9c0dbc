// Several ranks end to end on a CPU: planted faults, and processes that mpirun started.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "results/query.h"
#include "results/store.h"
#include "runners/http/record_codec.h"
#include "runners/http/scripted_server.h"
#include "tests/app/bench_program.h"
#include "tests/bench_binary.h"

namespace bench {
namespace {

constexpr const char* kFaults = R"(
name: faults
model: glm5
defaults: {runner: kernel, device: cpu, gpus: 2, layers: 1, tensor_parallel: 8, context: 64, replicates: 1, deadline: 4s,
  sampling: {min_samples: 4, max_samples: 4, max_time: 100ms, max_warm_up: 10ms}}
workloads:
  w: {variants: [rank1_fails, rank1_hangs, rank1_dies, rank1_is_wrong, native_fp8], baseline: native_fp8}
)";

TEST(Ranks, AFaultOfOneCostsItsCaseAndNamesTheRank) {
  BenchProgram bench;
  bench.write("faults.yaml", kFaults);
  const std::string planted =
      (std::filesystem::path(bench_binary()).parent_path() / "../../tests/bench_planted").string();
  const Outcome run = bench.shell("ASAN_OPTIONS=detect_leaks=0 " + planted + " run faults.yaml");
  EXPECT_EQ(run.exit, 3);
  for (const char* line : {"rank1_fails, replicate 1: failed: rank 1 (", "): planted failure",
                           "rank1_hangs, replicate 1: failed: rank 1 (", "hangs: no end within",
                           "rank1_dies, replicate 1: out_of_memory: the worker was killed",
                           "rank1_is_wrong, replicate 1: incorrect: rank 1: output of layer 0",
                           "native_fp8, replicate 1: "}) {
    EXPECT_NE(run.err.find(line), std::string::npos) << line << '\n' << run.err;
  }
}

#ifdef BENCH_MPIEXEC
constexpr const char* kTogether = R"(
name: together
model: glm5
defaults: {runner: kernel, device: cpu, layers: 1, tensor_parallel: 8, context: 64, replicates: 1,
  sampling: {min_samples: 4, max_samples: 4, max_time: 100ms, max_warm_up: 10ms}}
workloads:
  tensor: {variants: [native_fp8, inplace_cast]}
  context: {variants: [native_fp8], parallel: context}
)";

// mpirun as CI has it: as root, with fewer cores than processes.
std::string mpirun(int processes) {
  return std::string("export ASAN_OPTIONS=detect_leaks=0; " BENCH_MPIEXEC
                     " --allow-run-as-root --oversubscribe --bind-to none -np ") +
         std::to_string(processes) + " ";
}

TEST(Processes, OfMpiMeasureOneStepAndStoreOneRun) {
  BenchProgram bench;
  bench.write("together.yaml", kTogether);
  const Outcome run = bench.shell(mpirun(3) + "$BENCH run together.yaml --db bench.db");
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  Store store((bench.folder() / "bench.db").string(), Access::read);
  const RunRecord record = load_run(store, 1, LoadSamples::yes);
  ASSERT_EQ(record.measurements.size(), 3U);
  EXPECT_EQ(record.devices.size(), 3U);
  for (const Measurement& m : record.measurements) {
    if (m.what.variant == "inplace_cast") {
      EXPECT_EQ(m.status, Status::incorrect);
      continue;
    }
    EXPECT_EQ(m.metric("ranks"), 3) << m.reason;
    EXPECT_EQ(m.rank_samples_s.size(), 3 * m.samples_s.size());
  }
}

TEST(Processes, OfMpiEndTheCaseOfAllWhenAWorkerOfOneDies) {
  BenchProgram bench;
  bench.write("faults.yaml", kFaults);
  const std::string planted =
      (std::filesystem::path(bench_binary()).parent_path() / "../../tests/bench_planted").string();
  const Outcome run = bench.shell(mpirun(2) + planted +
                                  " run faults.yaml --set gpus=1 --set workloads.w.deadline=3s");
  EXPECT_EQ(run.exit, 3) << run.err;
  for (const char* line :
       {"rank1_fails, replicate 1: failed: process 1: rank 1 (", "): planted failure",
        "rank1_hangs, replicate 1: failed: process 1: rank 1 (", "hangs: no end within 1.800 s",
        "rank1_dies, replicate 1: out_of_memory: process 1: the worker was killed",
        "rank1_is_wrong, replicate 1: incorrect: rank 1: ", "native_fp8, replicate 1: "}) {
    EXPECT_NE(run.err.find(line), std::string::npos) << line << '\n' << run.err;
  }
  EXPECT_EQ(run.err.find("rank 0 ("), std::string::npos) << "it is not to blame\n" << run.err;
}

TEST(Processes, OfMpiRefuseToMeasureTwoThings) {
  BenchProgram bench;
  bench.write("together.yaml", kTogether);
  const std::string first = mpirun(1) + "$BENCH run together.yaml";
  const std::string other = " : --bind-to none -np 1 $BENCH run together.yaml";
  const Outcome run = bench.shell(first + other + " --set layers=2");
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_NE(run.err.find("process 1 would measure something else than process 0"),
            std::string::npos)
      << run.err;
  EXPECT_NE(bench.shell(first + " : -np 1 $BENCH run none.yaml")
                .err.find("process 1: none.yaml: No such file"),
            std::string::npos);
}

TEST(Processes, OfMpiSayWhatIsWrongForAllOnce) {
  BenchProgram bench;
  const Outcome run = bench.shell(mpirun(3) + "$BENCH run none.yaml");
  EXPECT_EQ(run.exit, 2);
  const auto first = run.err.find("none.yaml: No such file");
  ASSERT_NE(first, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("none.yaml: No such file", first + 1), std::string::npos) << run.err;
}

TEST(Processes, OfMpiGiveUpOneThatIsStopped) {
  BenchProgram bench;
  bench.write("faults.yaml", kFaults);
  const std::string planted =
      (std::filesystem::path(bench_binary()).parent_path() / "../../tests/bench_planted").string();
  const Outcome run = bench.shell(mpirun(2) + planted +
                                  " run faults.yaml --set gpus=1 --set workloads.w.deadline=1s "
                                  "--set 'variants=[rank1_stops_its_parent, native_fp8]'");
  EXPECT_EQ(run.exit, 3) << run.err;
  EXPECT_NE(run.err.find("process 1 on "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find(" did not come within 6.250 s: stopped, or its machine"),
            std::string::npos)
      << run.err;
}

// A vLLM of twenty tokens a request, 5 ms apart.
ScriptedAnswer of_a_server(std::string_view head) {
  if (head.starts_with("POST")) {
    return {std::make_shared<const Script>(paced_stream(Seconds(0.05), Seconds(0.005), 20))};
  }
  const bool models = head.starts_with("GET /v1/models ");
  const std::string text = models ? R"({"data":[{"id":"m","owned_by":"vllm"}]})" : "{}";
  Script script;
  script.steps.push_back(
      {Seconds(0),
       http_head("200 OK", "application/json", static_cast<std::int64_t>(text.size())) + text,
       {}});
  return {std::make_shared<const Script>(std::move(script))};
}

// The most requests that were in flight at once, by their own times.
std::int64_t most_at_once(const std::vector<RequestRecord>& records) {
  std::int64_t most = 0;
  for (const RequestRecord& at : records) {
    most = std::max<std::int64_t>(most, std::ranges::count_if(records, [&](const auto& r) {
                                    return r.sent <= at.sent && at.sent < r.end;
                                  }));
  }
  return most;
}

constexpr const char* kShared = R"(
name: shared
defaults: {runner: http, context: 8, output_tokens: 20, duration_s: 0, warm_up_s: 0, replicates: 1}
workloads:
  closed: {concurrency: 6, requests: 30}
  open: {request_rate_per_s: 40, requests: 31}
)";

TEST(Processes, OfMpiShareOneLoadOfAServerOut) {
  const ScriptedServer server([](auto head, auto) { return of_a_server(head); });
  BenchProgram bench;
  bench.write("shared.yaml", kShared);
  const Outcome run = bench.shell(
      mpirun(2) + "$BENCH run shared.yaml --set endpoint=" + server.url() + " --db bench.db");
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  Store store((bench.folder() / "bench.db").string(), Access::read);
  const RunRecord record = load_run(store, 1, LoadSamples::yes);
  ASSERT_EQ(record.measurements.size(), 2U);
  for (const Measurement& m : record.measurements) {
    const std::int64_t requests = m.workload == "open" ? 31 : 30;
    EXPECT_EQ(m.status, Status::ok) << m.reason;
    EXPECT_EQ(m.metric("requests"), requests);
    EXPECT_EQ(m.metric("failed_requests"), 0);
    EXPECT_EQ(m.metric("output_tokens"), 20 * requests);
    EXPECT_EQ(std::ssize(m.samples_s), requests);
    EXPECT_NE(m.reason.find("load of 2 processes, clocks within"), std::string::npos) << m.reason;
    EXPECT_TRUE(m.metric("clock_uncertainty_s").has_value());
    const std::vector<RequestRecord> records = decode_records(m.requests);
    std::set<std::int64_t> indices;
    std::set<std::int64_t> users;
    for (const RequestRecord& r : records) {
      indices.insert(r.index);
      users.insert(r.user);
      EXPECT_GE(r.sent.count(), -0.001);
      if (!r.open_loop) continue;
      EXPECT_GE(r.sent, r.due);
    }
    EXPECT_EQ(std::ssize(indices), requests);  // as those of one process: 0, 1, 2, ... once each
    EXPECT_EQ(*indices.rbegin(), requests - 1);
    if (m.workload == "closed") {
      EXPECT_EQ(users, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5}));
      EXPECT_LE(most_at_once(records), 6);
      EXPECT_GT(most_at_once(records), 3);  // more than one process's
    }
  }
}

TEST(Processes, OfMpiStartNoServer) {
  BenchProgram bench;
  bench.write("servers.yaml", R"(
name: servers
servers: {before: {command: ["sleep", "9"], ready: http://127.0.0.1:39999/health}}
workloads: {w: {runner: http, requests: 1, duration_s: 0}}
)");
  const Outcome run = bench.shell(mpirun(2) + "$BENCH run servers.yaml");
  EXPECT_EQ(run.exit, 2);
  EXPECT_NE(run.err.find("servers: bench starts them in a run of one process only"),
            std::string::npos)
      << run.err;
}
#endif

}  // namespace
}  // namespace bench
