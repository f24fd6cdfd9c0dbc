#include "tests/app/nights_store.h"

#include <array>
#include <random>

#include "results/store.h"

namespace bench {
namespace {

constexpr std::array kVariants{"full_pool_cast", "gather_cast", "native_fp8"};
constexpr double kFirst = 1788120000;  // 2026-08-30 20:00:00 UTC
constexpr std::int64_t kReplicates = 8, kSamples = 50, kStep = 71, kHang = 31;

struct NightCase {
  Case what;
  double cast_s, attention_s;
};

std::vector<NightCase> cases() {
  std::vector<NightCase> all;
  for (const std::int64_t context : {4096, 16384}) {
    const double attention = 1e-7 * static_cast<double>(context);
    for (std::size_t v = 0; v < kVariants.size(); ++v) {
      NightCase c{.what = {"kernel", kVariants.at(v), {}},
                  .cast_s = v == 0   ? 16e-3
                            : v == 1 ? attention
                                     : 0,
                  .attention_s = attention};
      c.what.parameters.context = context;
      c.what.parameters.pool_tokens = 495552;
      all.push_back(std::move(c));
    }
  }
  return all;
}

Measurement measure(const NightCase& c, double factor, double slower, std::int64_t replicate) {
  Measurement m{.what = c.what, .workload = "single_stream", .replicate = replicate};
  const double attention = c.attention_s * factor * slower;
  const double step = c.cast_s * factor + attention + 2e-6;
  if (c.cast_s > 0) m.stages.push_back({"cast", c.cast_s * factor, 66.8e9});
  m.stages.push_back({"attention", attention, 1e9});
  m.samples_s.assign(kSamples, step);
  m.sample_clock_hz.assign(kSamples, 1.98e9);
  m.metrics = {{"tpot_s", step}, {"tokens_per_s", 1 / step}};
  m.telemetry.temperature_c = 61;
  return m;
}

RunRecord recorded_night(std::int64_t number, std::mt19937_64& random) {
  std::normal_distribution<double> noise(1, 0.001);
  RunRecord run;
  run.info.name = "glm5";
  run.info.status = RunStatus::complete;
  run.info.started_unix_s = kFirst + 86400.0 * static_cast<double>(number - 1);
  run.info.argv = "bench run configs/glm5.yaml";
  run.environment = {{"device", "NVIDIA H200", FactRole::machine},
                     {"gpu0.driver", number < kStep ? "580.1" : "590.2"}};
  run.devices = {{.kind = "cuda", .name = "NVIDIA H200", .copy_bytes_per_s = 4.2e12}};
  for (const NightCase& c : cases()) {
    const bool changes = c.what.variant == "native_fp8" && c.what.parameters.context == 16384;
    run.plan.push_back({.what = c.what,
                        .workload = "single_stream",
                        .axes = {"context"},
                        .label = c.what.parameters.context == 16384 ? "context 16k" : "context 4k",
                        .is_baseline = c.what.variant == kVariants.front(),
                        .replicates = kReplicates});
    for (std::int64_t replicate = 0; replicate < kReplicates; ++replicate) {
      Measurement m = measure(c, noise(random), changes && number >= kStep ? 1.041 : 1, replicate);
      if (changes && number == kHang) {
        m = {.what = c.what, .workload = "single_stream", .replicate = replicate};
        m.status = Status::timeout;
        m.reason = "silent for 600 s";
      }
      run.measurements.push_back(std::move(m));
    }
  }
  return run;
}

}  // namespace

void fill_nights(const std::string& database, std::int64_t nights) {
  Store store(database, Access::write);
  store.database().execute("PRAGMA synchronous = OFF");
  std::mt19937_64 random(1);
  for (std::int64_t number = 1; number <= nights; ++number)
    store.add(recorded_night(number, random));
  store.accept_baseline(1, "the first recorded_night");
}

}  // namespace bench
