// Several ranks end to end on a CPU: planted faults, and processes that mpirun started.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "results/query.h"
#include "results/store.h"
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
  const Outcome run = bench.shell(
      mpirun(2) + planted +
      " run faults.yaml --set gpus=1 --only w/rank1_dies --only w/rank1_fails --only w/native_fp8");
  EXPECT_EQ(run.exit, 3) << run.err;
  for (const char* line : {"rank1_fails, replicate 1: failed: rank 0 (", "process 1: rank 1 (",
                           "): planted failure", "rank1_dies, replicate 1: failed: rank 0 (",
                           "process 1: the worker was killed", "native_fp8, replicate 1: "}) {
    EXPECT_NE(run.err.find(line), std::string::npos) << line << '\n' << run.err;
  }
}
#endif

}  // namespace
}  // namespace bench
