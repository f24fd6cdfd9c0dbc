#pragma once

#include <filesystem>
#include <string>

#include "results/codec.h"
#include "results/run.h"

namespace bench {

// A folder of a test's own, removed at its end.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "bench_store_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name = "bench.db") const {
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

inline Case sample_case(const std::string& variant, std::int64_t context) {
  Case c{"kernel", variant, {}};
  c.parameters.model = "glm5";
  c.parameters.context = context;
  c.parameters.pool_tokens = 495'552;
  c.parameters.rest_of_step_s = 0.031;
  return c;
}

// Two variants, each at `contexts` contexts.
inline RunRecord sample_run(int contexts = 2, std::int64_t replicates = 2) {
  RunRecord run;
  run.info.name = "glm5";
  run.info.plan_source = "name: glm5\n";
  run.environment = {{"cpu_model", "Test CPU", FactRole::machine},
                     {"driver", "595.1", FactRole::software}};
  run.devices = {{"cuda", 0, "NVIDIA H200", "GPU-1234", 4.07e12}};
  for (int i = 0; i < contexts; ++i) {
    for (const char* variant : {"full_pool_cast", "native_fp8"}) {
      const Case c = sample_case(variant, 1024 * (i + 1));
      run.plan.push_back({c,
                          "single_stream",
                          {"context"},
                          label(c.parameters, {"context"}),
                          variant == std::string("full_pool_cast"),
                          replicates,
                          ""});
    }
  }
  return run;
}

inline Measurement sample_measurement(const PlannedCase& planned, std::int64_t replicate,
                                      int samples = 3) {
  Measurement m;
  m.what = planned.what;
  m.workload = planned.workload;
  m.replicate = replicate;
  for (int i = 0; i < samples; ++i) m.samples_s.push_back(0.0956 + 1e-6 * i);
  m.sample_clock_hz.assign(m.samples_s.size(), 1.98e9);
  m.stages = {{"cast", 0.0646, 66.8e9}, {"attention", 0.0106, 4.7e6}};
  m.metrics = {{"tpot_s", 0.0956 + 1e-4 * static_cast<double>(replicate)}, {"tokens_per_s", 10.46}};
  m.telemetry.power_w = 412.5;
  m.telemetry.throttle_reasons = "sw_power_cap";
  m.requests = std::string("\x00\x80", 2);
  m.started_unix_s = 1.796e9 + static_cast<double>(replicate);
  m.wall_s = 12.5;
  return m;
}

// A run with all its measurements.
inline RunRecord measured_run(int contexts = 2, std::int64_t replicates = 2, int samples = 3) {
  RunRecord run = sample_run(contexts, replicates);
  for (const auto& planned : run.plan) {
    for (std::int64_t r = 0; r < replicates; ++r) {
      run.measurements.push_back(sample_measurement(planned, r, samples));
    }
  }
  return run;
}

}  // namespace bench
