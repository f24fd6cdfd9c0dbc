#include "dashboards/warnings.h"

#include <gtest/gtest.h>

#include "tests/dashboards/quickstart.h"

namespace bench {
namespace {

using testing::Quickstart;
using testing::quickstart;

std::vector<std::string> warnings_of(const Quickstart& run) {
  return trust_warnings(summarize(run.workloads, run.measurements, run.copy_bytes_per_s));
}

TEST(Warnings, AreNoneForASoundRun) {
  Quickstart run = quickstart();
  for (Measurement& m : run.measurements) m.negative_control = m.what.variant == "inplace_cast";
  EXPECT_EQ(warnings_of(run), std::vector<std::string>{});
}

TEST(Warnings, NameThrottlingAndOtherProcesses) {
  Quickstart run = quickstart();
  std::erase_if(run.measurements,
                [](const Measurement& m) { return m.what.variant == "inplace_cast"; });
  for (Workload& w : run.workloads) std::erase(w.variants, "inplace_cast");
  run.measurements[0].telemetry.throttle_reasons = "hw_thermal_slowdown";
  run.measurements[1].telemetry.throttle_reasons = "hw_thermal_slowdown";
  run.measurements[3].telemetry.throttle_reasons = "hw_thermal_slowdown";
  run.measurements[3].telemetry.other_processes = "python";
  EXPECT_EQ(warnings_of(run),
            (std::vector<std::string>{
                "throttled (hw_thermal_slowdown) in 2 cases, first single_stream context 1k "
                "full_pool_cast",
                "other processes on the device (python) in 1 case: single_stream context 1k "
                "gather_cast"}));
}

TEST(Warnings, NameTheCasesForWhichOthersHadTheCpu) {
  Quickstart run = quickstart();
  for (Measurement& m : run.measurements) {
    m.negative_control = m.what.variant == "inplace_cast";
    const bool is_busy = m.what.variant == "native_fp8" && m.what.parameters.context == 1024 &&
                         m.workload == "single_stream";
    m.metrics.push_back({"others_cpu_share", is_busy ? 0.3 : 0.02});
  }
  EXPECT_EQ(warnings_of(run),
            std::vector<std::string>{"others used more than 10 % of the CPU in 1 "
                                     "case: single_stream context 1k native_fp8"});
}

TEST(Warnings, CountWhatHasNoSpeedAndWhatWasNotMeasured) {
  Quickstart run = quickstart();
  run.workloads.resize(1);
  std::erase_if(run.measurements, [](const Measurement& m) {
    return m.workload != "single_stream" || m.what.variant == "bf16_pool" ||
           m.what.variant == "inplace_cast";
  });
  std::erase(run.workloads[0].variants, "inplace_cast");
  for (Measurement& m : run.measurements) {
    if (m.what.variant != "native_fp8" || m.what.parameters.context != 4096) continue;
    m.status = Status::crashed;
    m.reason = "signal 6";
    m.metrics.clear();
    m.samples_s.clear();
  }
  EXPECT_EQ(
      warnings_of(run),
      (std::vector<std::string>{"crashed: signal 6 in 1 case: single_stream context 4k native_fp8",
                                "3 cases planned but not measured"}));
}

TEST(Warnings, SayThatOneReplicateHasNoInterval) {
  Quickstart run = quickstart();
  std::erase_if(run.measurements, [](const Measurement& m) {
    return m.replicate > 0 || m.what.variant == "inplace_cast";
  });
  for (Workload& w : run.workloads) std::erase(w.variants, "inplace_cast");
  EXPECT_EQ(warnings_of(run),
            std::vector<std::string>{"one replicate of every case: how much the figures vary from "
                                     "run to run is not known"});
}

TEST(Warnings, RepeatWhatTheClientOfALiveServerNoted) {
  Quickstart run = quickstart();
  run.workloads.resize(1);
  run.workloads[0].runner = "http";
  std::erase_if(run.measurements, [](const Measurement& m) {
    return m.workload != "single_stream" || m.what.variant == "inplace_cast";
  });
  std::erase(run.workloads[0].variants, "inplace_cast");
  for (Measurement& m : run.measurements) m.what.runner = "http";
  run.measurements[0].reason =
      "vllm 0.11.0 (GET /v1/models), dialect vllm, model 'glm-5'; 2 of 400 requests failed: 2 "
      "reset";
  EXPECT_EQ(warnings_of(run),
            std::vector<std::string>{"2 of 400 requests failed: 2 reset in 1 case: single_stream "
                                     "context 1k full_pool_cast"});
}

}  // namespace
}  // namespace bench
