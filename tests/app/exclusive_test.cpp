#include <gtest/gtest.h>

#include "tests/app/bench_program.h"

namespace bench {
namespace {

constexpr const char* kOnAGpu = R"(
name: night
defaults:
  runner: fake
  device: cuda
  replicates: 1
  sampling: {min_samples: 20, max_samples: 20}
workloads:
  decode:
    variants: [native_fp8]
    context: 4k
    script: native_fp8 = 1ms
)";

class Exclusive : public testing::Test {
 protected:
  Exclusive() { bench.write("night.yaml", kOnAGpu); }
  // Runs `command` while another process holds the lock of a device. The holder says when it does.
  [[nodiscard]] Outcome beside_a_holder(const std::string& lock, const std::string& command) const {
    return bench.shell("rm -f ready; mkfifo ready; flock " + lock +
                       " sh -c 'echo x >ready; exec sleep 2' &" + "read x <ready; " + command +
                       "; code=$?; wait; exit $code");
  }
  BenchProgram bench;
};

TEST_F(Exclusive, ASecondRunOnAGpuEndsWith75AndSaysWhoHasIt) {
  ASSERT_EQ(bench.run("run night.yaml").exit, 0);  // leaves its name in the file
  const Outcome second = beside_a_holder("bench-GPU-fake.lock", "$BENCH run night.yaml --db b.db");
  EXPECT_EQ(second.exit, 75);
  EXPECT_NE(second.err.find("bench-GPU-fake.lock is held by process "), std::string::npos)
      << second.err;
  EXPECT_NE(second.err.find("(bench run night.yaml)"), std::string::npos) << second.err;
  EXPECT_EQ(bench.run("list --db b.db").out.find("night"), std::string::npos);
}

TEST_F(Exclusive, WaitsForADeviceWhenAsked) {
  const Outcome outcome = beside_a_holder("bench-GPU-fake.lock", "$BENCH run night.yaml --wait 1m");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("(waiting)"), std::string::npos) << outcome.err;
}

TEST_F(Exclusive, AnotherDeviceAndAnotherHostInTheSameFolderAreNoBar) {
  EXPECT_EQ(beside_a_holder("bench-GPU-other.lock", "$BENCH run night.yaml").exit, 0);
  EXPECT_EQ(
      beside_a_holder("bench-cpu-0badb007.lock", "$BENCH run night.yaml --set defaults.device=cpu")
          .exit,
      0);
  EXPECT_EQ(bench.shell("ls bench-cpu-*.lock | wc -l").out, "2\n");
}

TEST_F(Exclusive, AKilledRunLeavesNoLockBehind) {
  const Outcome outcome = bench.shell(
      "$BENCH run night.yaml --set 'decode.script=native_fp8 = hang' --db a.db & run=$!\n"
      "until grep -qs 'hang' bench-GPU-fake.lock; do sleep 0.02; done; sleep 0.2\n"
      "kill -9 $run; $BENCH run night.yaml --db b.db --wait 20s");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

TEST_F(Exclusive, TheDoctorSeesWhatIsOnAGpu) {
  const auto doctor = [&](const std::string& state, const std::string& arguments) {
    return bench.shell("LD_LIBRARY_PATH=" BENCH_FAKE_NVML " FAKE_GPU=" + state + " $BENCH doctor " +
                       arguments);
  };
  const struct {
    const char* state;
    int exit;
    const char* says;
  } states[] = {
      {"idle", 0, "ok      GPU 1     NVIDIA Fake GPU-other, 500.0 MB of 100.0 GB in use"},
      {"busy", 3, "BAD     GPU 1     in use by "},
      {"hidden", 3, "BAD     GPU 1     40.00 GB of its memory are in use by a process that"},
      {"hot", 3, "BAD     GPU 1     slowed down: hw_thermal_slowdown"},
  };
  for (const auto& [state, exit, says] : states) {
    const Outcome outcome = doctor(state, "");
    EXPECT_EQ(outcome.exit, exit) << state << outcome.err;
    EXPECT_NE(outcome.out.find(says), std::string::npos) << outcome.out;
    // The configuration needs the first GPU alone.
    EXPECT_EQ(doctor(state, "night.yaml").exit, 0);
  }
}

TEST_F(Exclusive, TheDoctorFindsRoomForAFolderThatIsStillToBeMade) {
  const Outcome outcome = bench.run("doctor --db results/bench.db");
  EXPECT_NE(outcome.out.find("ok      disk      "), std::string::npos) << outcome.out;
}

TEST_F(Exclusive, TheDoctorSaysWhoHoldsADevice) {
  const Outcome outcome = beside_a_holder("bench-GPU-fake.lock", "$BENCH doctor night.yaml");
  EXPECT_EQ(outcome.exit, 75);
  EXPECT_NE(outcome.out.find("LOCKED  lock      ./bench-GPU-fake.lock is held by"),
            std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace bench
