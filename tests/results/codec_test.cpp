#include "results/codec.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/error.h"

namespace bench {
namespace {

Measurement full_measurement() {
  Measurement m;
  m.what = {.runner = "kernel", .variant = "native_fp8", .parameters = {}};
  m.what.parameters.model = "glm5";
  m.what.parameters.context = 4096;
  m.what.parameters.pool_tokens = 495'552;
  m.what.parameters.placement = Placement::contiguous;
  m.what.parameters.k_scale = 0.47;
  m.what.parameters.rest_of_step_s = 0.031;
  m.workload = "single_stream";
  m.replicate = 2;
  m.status = Status::ok;
  m.reason = "the clock fell\nonce";
  m.samples_s = {0.0956, 0.1 + 0.2};
  m.sample_clock_hz = {1.98e9, 1.965e9};
  m.stages = {{"cast", 0.0646, 66.8e9}, {"attention", 0.01, 1e6}};
  m.metrics = {{"tpot_s", 0.0956}, {"tokens_per_s", 10.46, 1}};
  m.telemetry.power_w = 412.5;
  m.requests = std::string("\x00\xff\n", 3);
  m.telemetry.throttle_reasons = "sw_power_cap";
  m.started_unix_s = 1'796'000'000.25;
  m.wall_s = 12.5;
  return m;
}

TEST(Codec, AMeasurementComesBackAsItWas) {
  const Measurement m = full_measurement();
  const std::string line = to_json(m);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Measurement back = measurement_from_json(line, "worker");
  EXPECT_EQ(to_json(back), line);
  EXPECT_EQ(case_id(back.what), case_id(m.what));
  EXPECT_EQ(back.what.parameters.placement, Placement::contiguous);
  EXPECT_EQ(back.what.parameters.rest_of_step_s, 0.031);
  EXPECT_EQ(back.replicate, 2);
  EXPECT_EQ(back.reason, "the clock fell\nonce");
  EXPECT_EQ(back.samples_s, (std::vector<double>{0.0956, 0.30000000000000004}));
  EXPECT_EQ(back.stages.at(0).bytes, 66.8e9);
  EXPECT_EQ(back.metrics.at(1).version, 1);
  EXPECT_EQ(back.telemetry.power_w, 412.5);
  EXPECT_EQ(back.requests, m.requests);
  EXPECT_EQ(back.telemetry.temperature_c, std::nullopt);
  EXPECT_EQ(back.started_unix_s, 1'796'000'000.25);
}

TEST(Codec, RefusesRequestsThatAreNoBase64) {
  std::string line = to_json(full_measurement());
  line.insert(1, R"("requests":"?",)");
  const std::size_t second = line.rfind("\"requests\":");
  line.replace(second + 1, 8, "requesty");
  EXPECT_THROW(measurement_from_json(line, "worker"), Error);
}

TEST(Codec, IgnoresMembersItDoesNotKnow) {
  std::string line = to_json(full_measurement());
  line.insert(1, R"("colour":"blue",)");
  EXPECT_EQ(measurement_from_json(line, "worker").workload, "single_stream");
}

TEST(Codec, RefusesANonFiniteNumberByName) {
  Measurement m = full_measurement();
  m.stages[0].seconds = std::nan("");
  try {
    to_json(m);
    FAIL() << "NaN was written";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "seconds is nan: JSON has no such number");
  }
}

TEST(Codec, RefusesALineCutShortAndAnUnknownStatus) {
  const std::string line = to_json(full_measurement());
  EXPECT_THROW(measurement_from_json(line.substr(0, line.size() / 2), "worker"), Error);
  std::string other = line;
  other.replace(other.find("\"ok\""), 4, "\"odd\"");
  try {
    measurement_from_json(other, "worker");
    FAIL() << "an unknown status was read";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "worker: status: a known status ('odd' is no status of a measurement) is needed");
  }
}

TEST(Codec, RefusesACaseWhoseIdIsNotThatOfItsParameters) {
  std::string line = to_json(full_measurement().what);
  line.replace(line.find("4096"), 4, "8192");
  EXPECT_THROW(case_from_json(line, "worker"), Error);
}

TEST(Codec, ATelemetryComesBackAsItWas) {
  const Telemetry telemetry{.temperature_c = 61,
                            .power_w = {},
                            .energy_j = 12.5,
                            .sm_clock_hz = 1.98e9,
                            .throttle_reasons = "",
                            .other_processes = "python3 (pid 12)"};
  const Telemetry back = telemetry_from_json(to_json(telemetry), "worker");
  EXPECT_EQ(to_json(back), to_json(telemetry));
  EXPECT_EQ(back.other_processes, "python3 (pid 12)");
  EXPECT_EQ(back.power_w, std::nullopt);
}

}  // namespace
}  // namespace bench
